import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backlogRequests } from '@mp/contracts/requests/backlogs';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

const define = (definition: object, name: string) => ({ name, definition });

test('GET /v2/segments/:id?include=backlog', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const idOf = async (body: object) => (await account.post('/v2/segments', body)).data.id;
  const city = await idOf(define({ field: 'address.city', op: 'eq', value: 'Berlin' }, 'City'));
  const buyers = await idOf(define({ event: 'order_placed' }, 'Buyers'));
  const read = (id: string, query = '?include=backlog') => account.get(`/v2/segments/${id}${query}`);

  await t.test('fails while a service that the members depend on does not reply, and a plain read does not', async () => {
    assert.equal((await read(city)).status, 503);
    const plain = await read(city, '');
    assert.deepEqual([plain.status, 'backlog' in plain.data], [200, false]);
  });

  const until: Record<'contacts' | 'leadpulse', string | null | undefined> = { contacts: undefined, leadpulse: undefined };
  for (const source of ['contacts', 'leadpulse'] as const)
    await parts.broker.reply(backlogRequests[source], async ({ account_id, applied }) => {
      assert.deepEqual([account_id, applied.stream], [account.accountId, source.toUpperCase()]);
      const time = until[source];
      return { backlog: time === undefined ? null : { until: time } };
    });

  await t.test('is null when nothing of the account waits', async () => {
    assert.equal((await read(city)).data.backlog, null);
  });

  await t.test('is the earliest time of the services that the rule depends on', async () => {
    until.leadpulse = '2026-11-27T10:42:00.000Z';
    assert.equal((await read(city)).data.backlog, null, 'depends on contacts only');
    until.contacts = '2026-11-27T10:43:00.000Z';
    assert.deepEqual((await read(city)).data.backlog, { up_to_date_until: until.contacts });
    assert.deepEqual((await read(buyers)).data.backlog, { up_to_date_until: until.leadpulse });
    until.contacts = null;
    assert.deepEqual((await read(buyers)).data.backlog, { up_to_date_until: null });
  });
});
