import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createSegmentCallsStore, type NewSegmentCall } from './segment-calls-store.ts';

const call: NewSegmentCall = {
  ...{ type: 'track', event: 'x', message_id: null, source: { type: 'site', id: 'site_test' }, library: null },
  ...{ status: 'accepted', code: null, reason: null, notes: [], event_id: null },
};

test('an account reads its calls without waiting for the flood of another', async (t) => {
  const { mongo, cursors, logger } = await testParts(t, 'leadpulse');
  const store = createSegmentCallsStore(mongo.db, cursors, logger);
  await store.prepare();
  const [quiet, loud] = [newId('account'), newId('account')];
  const ofAccount = async (accountId: AccountId) => (await store.list(accountId, { limit: 10 })).items.length;
  store.note(quiet, new Date(), [call]);
  assert.equal(await ofAccount(quiet), 1);
  let isFlooding = true;
  const flood = () => {
    store.note(loud, new Date(), [call]);
    if (isFlooding) setImmediate(flood);
  };
  flood();
  t.after(() => {
    isFlooding = false;
  });
  store.note(quiet, new Date(), [call]);
  assert.equal(await ofAccount(quiet), 2);
  assert.ok((await ofAccount(loud)) > 0, 'nor for what it sends after it asked');
});
