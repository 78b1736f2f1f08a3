import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { createSuppressionsStore } from '../../audience/contactables/suppressions-store.ts';
import { recipientStates } from '../../ledger/recipients/recipient.ts';
import { newRecipient } from '../../ledger/recipients/recipient-row.ts';
import { createRecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { createRecordFeedback } from './record-feedback.ts';

test('reports in any order and repetition keep the sum of the ledger, and affect only emails that were handed over', async (t) => {
  const { mongo, outbox, cursors } = await testParts(t, 'campaigns');
  const recipients = createRecipientsStore(mongo.db, cursors);
  const suppressions = createSuppressionsStore(mongo.db);
  const feedback = createRecordFeedback({ mongo, recipients, suppressions, outbox });
  for (const store of [recipients, suppressions, feedback]) await store.prepare();

  const report = fc.record({
    row: fc.nat(9),
    kind: fc.constantFrom('delivered' as const, 'bounced' as const, 'complained' as const),
    hard: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(report, { maxLength: 12 }), async (reports) => {
    const [accountId, campaignId] = [newId('account'), newId('campaign')];
    const source = {
      account_id: accountId,
      source: 'campaign',
      source_id: campaignId,
      source_key: campaignId,
      content_id: campaignId,
    } as const;
    const rows = recipientStates.map((state) => ({
      ...newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()),
      ...{ state, address: 'a@example.com' },
    }));
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));
    for (const [index, { row, kind, hard }] of [...reports.entries(), ...reports.entries()]) {
      const recipientId = rows[row]?._id ?? assert.fail();
      const one = { id: `r${index}`, recipientId, kind, hard, detail: null, at: new Date() };
      await feedback.record(accountId, one, 'test').catch((error: { code: string }) => assert.equal(error.code, 'SERVICE_UNAVAILABLE'));
    }
    const counts = await recipients.countStates(accountId, campaignId);
    assert.equal(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      rows.length,
    );
    const untouched = ['queued', 'sending', 'deferred', 'skipped'] as const;
    for (const state of untouched) assert.equal(counts[state], 1, state);
  });
  await fc.assert(property, { numRuns: 15 });
});
