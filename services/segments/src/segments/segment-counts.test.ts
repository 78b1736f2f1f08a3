import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('the count of a segment follows its members and cannot stay wrong', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const { data: segment } = await account.post('/v2/segments', {
    name: 'Berlin',
    definition: { field: 'address.city', op: 'eq', value: 'Berlin' },
  });
  await backfillAll(built);
  const count = async () => (await account.get(`/v2/segments/${segment.id}`)).data.count;
  const contacts = Array.from({ length: 4 }, () => contactWith(livingIn('Berlin')));
  const [first] = contacts;
  assert.ok(first);
  await applyAll(parts, built, account.accountId, [...contacts, { ...first, ...livingIn('Bonn'), revision: 2 }]);
  await built.counts.flush();
  assert.equal(await count(), 3);

  const rows = parts.mongo.db.collection('segment_counts');
  const row = await rows.findOne({ account_id: account.accountId });
  assert.ok(row?.recount_at.getTime() <= Date.now() + 10_000, 'a burst of changes is followed by a recount');
  // A process died before it added its changes.
  await rows.updateOne({ account_id: account.accountId }, { $set: { count: 99, recount_at: new Date(0) } });
  await built.counts.recountDue();
  assert.equal(await count(), 3);
});
