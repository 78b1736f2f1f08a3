import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraitsApplied } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { replyAsGateway } from '../../test/segment-source.ts';
import { buildApp } from '../app.ts';

test('GET /v2/leadpulse/segment-calls', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const { keyOf } = await replyAsGateway(parts);
  const url = '/v2/leadpulse/segment-calls';
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => url });

  await t.test('lists the calls, newest first and by pages, without anything secret or personal', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId);
    const context = { library: { name: 'analytics-node', version: '3.1.0' } };
    for (const event of ['one', 'two', 'three']) {
      const payload = { userId: 'ada', event, properties: { card: '4111' }, messageId: `m-${event}`, context, writeKey: key };
      await app.inject({ method: 'POST', url: '/v1/track', payload });
    }
    const { data: first } = await account.get(`${url}?limit=2`);
    const { data: rest } = await account.get(`${url}?limit=2&cursor=${first.pagination.next_cursor}`);
    const items = [...first.items, ...rest.items];
    assert.deepEqual(
      items.map(({ event }: { event: string }) => event),
      ['three', 'two', 'one'],
    );
    const { id, received_at, event_id, ...call } = items[0];
    assert.match(event_id, /^activity_/);
    assert.deepEqual(call, {
      ...{ type: 'track', event: 'three', message_id: 'm-three', source: { type: 'api_key', id: 'key_test' } },
      ...{ library: 'analytics-node 3.1.0', status: 'accepted', code: null, reason: null, notes: [] },
    });
    assert.doesNotMatch(JSON.stringify(items), /ada|4111|mp_live/);
  });

  await t.test('the fields that contacts refuses are added to the call, and to none of another account', async () => {
    const [account, other] = [testClient(app), testClient(app)];
    for (const { accountId } of [account, other]) {
      const payload = { userId: 'u1', traits: { phone: '12' }, writeKey: keyOf(accountId) };
      await app.inject({ method: 'POST', url: '/v1/identify', payload });
    }
    const [{ event_id }] = (await account.get(url)).data.items;
    for (const { accountId } of [other, account])
      await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        parts.outbox.add(tx, TraitsApplied, accountId, {
          ...{ key: event_id, contact_id: null },
          refused: [{ path: '/phone', reason: 'expected a valid phone number' }],
        }),
      );
    const [call] = await eventually(async () => {
      const { items } = (await account.get(url)).data;
      return items[0].notes.length > 0 && items;
    });
    assert.deepEqual(call.notes, ['/phone: expected a valid phone number']);
    assert.deepEqual((await other.get(url)).data.items[0].notes, []);
  });
});
