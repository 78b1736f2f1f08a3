import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { newRecipient, recipientsOf } from '../../ledger/recipients/recipient-row.ts';
import { createRecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { createAbTestsStore } from './ab-tests-store.ts';

test('emails that a receiving domain temporarily rejects do not delay the winner; any other unsent email of the sample does', async (t) => {
  const { mongo, cursors } = await testParts(t, 'campaigns');
  await createRecipientsStore(mongo.db, cursors).prepare();
  const tests = createAbTestsStore(mongo.db);
  const own = { _id: newId('campaign'), account_id: newId('account') };
  const source = { account_id: own.account_id, source: 'campaign' as const, source_id: own._id, source_key: own._id, content_id: own._id };
  const row = { ...newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()), variant: 'a' };
  await recipientsOf(mongo.db).insertOne(row);
  const change = (reason: string | null) =>
    recipientsOf(mongo.db).updateOne(
      { _id: row._id, account_id: own.account_id },
      { $set: { reason, due_at: new Date(Date.now() + 60_000) } },
    );
  for (const [reason, isWaiting] of [
    [null, true],
    ['quiet_hours', true],
    ['domain_unavailable', false],
  ] as const) {
    await change(reason);
    assert.equal(await tests.isSampleWaiting(own), isWaiting, String(reason));
  }
});
