import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { applyAll, contactWith, origin } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('warnings about the names in a definition', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const contact = contactWith({ attributes: { plan: 'pro', seats: 5 } });
  await applyAll(parts, built, account.accountId, [contact]);
  const activity = { id: newId('activity'), name: 'order_placed', time: new Date(), properties: {}, machine: false };
  await parts.mongo.transaction(origin(), (tx) =>
    built.applyActivity(tx, account.accountId, { contactId: contact.id, activity, cause: 'activity', touchedIn: () => new Set() }),
  );
  const definition = {
    all: [
      { event: 'order_placed' },
      { event: 'Order-Placed', count: { gte: 2 } },
      { not: { field: 'attributes.plann', op: 'exists' } },
      { date: 'attributes.renewal', op: 'in_last', value: 'P1D' },
      { field: 'city', op: 'exists' },
      { sequence: [{ event: 'order_placed' }, { not_event: 'order_paced' }], within: 'P7D' },
    ],
  };
  const expected = [
    ['/definition/all/1/event', 'unknown_event', 'order_placed'],
    ['/definition/all/5/sequence/1/not_event', 'unknown_event', 'order_placed'],
    ['/definition/all/2/not/field', 'unknown_attribute', 'plan'],
    ['/definition/all/3/date', 'unknown_attribute', null],
  ];
  type Warning = { path: string; code: string; nearest: string | null };
  const summary = (warnings: Warning[]) => warnings.map(({ path, code, nearest }) => [path, code, nearest]);

  await t.test('name each one that the account has never had, with the most similar one', async () => {
    const created = await account.post('/v2/segments', { name: 'Typos', definition });
    assert.deepEqual(summary(created.data.warnings), expected, created.text);
    assert.match(created.data.warnings[0].message, /Did you mean order_placed\?/);
    const put = await account.put(`/v2/segments/${created.data.id}`, created.data);
    assert.deepEqual([put.status, summary(put.data.warnings)], [200, expected], put.text);
    assert.deepEqual(summary((await account.post('/v2/segments/preview', { definition })).data.warnings), expected);
    const other = await testClient(app).post('/v2/segments', { name: 'Other', definition: { event: 'order_placed' } });
    assert.deepEqual(summary(other.data.warnings), [['/definition/event', 'unknown_event', null]], 'names of other accounts are unknown');
  });

  await t.test('know the names from before names were stored', async () => {
    await parts.mongo.db.collection('names').deleteMany({});
    const { built: replica } = await testService(t, parts, (own) => buildApp({ ...own, metrics: createMetrics('segments') }));
    replica.learnNamesOnce.start();
    t.after(() => replica.learnNamesOnce.stop());
    const warnings = async () => (await account.post('/v2/segments/preview', { definition })).data.warnings;
    await eventually(async () => JSON.stringify(summary(await warnings())) === JSON.stringify(expected));
  });
});
