import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { createSuppressionsStore } from '../src/audience/contactables/suppressions-store.ts';
import { createCampaignsQueue } from '../src/campaigns/campaigns-queue.ts';
import type { Claimed } from '../src/ledger/recipients/claimed-row.ts';
import { newRecipient, recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { createRecipientsQueue, type Outcome } from '../src/ledger/recipients/recipients-queue.ts';
import { createRecipientsStore } from '../src/ledger/recipients/recipients-store.ts';
import { createRecordOutcomes } from '../src/ledger/recipients/record-outcomes.ts';
import { account, quickTimings, reconciliation, routesOnly, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

const hourMs = 3_600_000;

test('several workers on one ledger', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const queue = createRecipientsQueue(parts.mongo.db);
  const recipients = createRecipientsStore(parts.mongo.db, parts.cursors);
  const recordOutcomes = createRecordOutcomes({
    mongo: parts.mongo,
    queue,
    suppressions: createSuppressionsStore(parts.mongo.db),
    outbox: parts.outbox,
  });

  await t.test('two concurrent services send no email twice', async () => {
    const second = routesOnly({ SMTP_URL: sink.url, timings: quickTimings })(parts);
    for (const part of second.background ?? []) part.start();
    t.after(async () => {
      await Promise.all((second.background ?? []).map((part) => part.stop()));
      await second.app.close();
    });
    const owner = account(app);
    neighbours.contacts(owner.accountId, 200);
    const [one, two] = await Promise.all([sendCampaign(owner), sendCampaign(owner)]);
    for (const id of [one, two]) {
      await untilStatus(owner, id, 'sent', 120_000);
      const { states, reconciles, audience_count } = await reconciliation(owner, id);
      assert.deepEqual([states.sent, audience_count, reconciles], [200, 200, true]);
    }
    assert.equal(sink.received.length, 400);
  });

  /** A ledger that only the test processes, because its campaign stays a draft. */
  async function idleLedger(count: number) {
    const owner = account(app);
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const source = { account_id: owner.accountId, source: 'campaign', source_id: id, source_key: id, content_id: id } as const;
    const rows = Array.from({ length: count }, () => newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()));
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));
    return { owner, id, lane: { key: id, accountId: owner.accountId, campaignId: id } };
  }

  const outcome = (row: Claimed, state: Outcome['state'], dueAt?: Date): Outcome => ({
    row,
    state,
    reason: null,
    detail: null,
    at: new Date(),
    ...(dueAt ? { dueAt } : {}),
  });
  const start = (rows: readonly Claimed[]) =>
    queue.startSending(
      rows.map((row) => ({ row, address: 'a@example.com', messageId: '<1@x>' })),
      hourMs,
    );
  /** Lets the claim or lease of a row expire by changing the row, not the clock. */
  const expire = (row: Claimed, until: 'due_at' | 'lease_until') =>
    recipientsOf(parts.mongo.db).updateOne({ _id: row._id, account_id: row.account_id }, { $set: { [until]: new Date(0) } });

  await t.test('a stalled worker does not overwrite what others have written since', async () => {
    const { lane, owner, id } = await idleLedger(1);
    const [stale] = await queue.claim(lane, 10, hourMs);
    assert.ok(stale);
    assert.deepEqual(await queue.claim(lane, 10, hourMs), [], 'claimed once');
    await expire(stale, 'due_at');
    const [fresh] = await queue.claim(lane, 10, hourMs);
    assert.ok(fresh);
    assert.equal((await start([stale])).size, 0, 'its claim has expired');
    assert.equal((await start([fresh])).size, 1);
    assert.deepEqual(await recordOutcomes([outcome(stale, 'failed')]), []);
    await expire(fresh, 'lease_until');
    await eventually(async () => (await recipients.countStates(owner.accountId, id)).unknown === 1);
    assert.equal((await recordOutcomes([outcome(fresh, 'sent')])).length, 1, "the worker's own outcome replaces unknown");
    assert.equal((await recordOutcomes([outcome(fresh, 'failed')])).length, 0, 'but only once');
  });

  await t.test('ignores a late outcome after an unknown row has been resolved', async () => {
    const { lane, owner, id } = await idleLedger(1);
    const [row] = await queue.claim(lane, 1, hourMs);
    assert.ok(row);
    await start([row]);
    await recordOutcomes([outcome(row, 'unknown')]);
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      recipients.resolveUnknown(tx, owner.accountId, { campaignId: id, action: 'leave', now: new Date() }),
    );
    assert.deepEqual(await recordOutcomes([outcome(row, 'sent')]), []);
  });

  await t.test('the states add up to the audience after any sequence of operations by workers, reapers and users', async () => {
    const size = 6;
    const step = fc.record({
      worker: fc.nat(1),
      does: fc.constantFrom('claim', 'start', 'sent', 'deferred', 'bounced', 'unknown', 'queued', 'release', 'resend', 'leave', 'cancel'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        const { lane, owner, id } = await idleLedger(size);
        const held: Claimed[][] = [[], []];
        const sentOnce = new Map<string, number>();
        for (const { worker, does } of steps) {
          const own = held[worker] ?? [];
          if (does === 'claim') held[worker] = [...own, ...(await queue.claim(lane, 2, hourMs))];
          else if (does === 'start') await start(own);
          else if (does === 'release') await queue.release(own);
          else if (does === 'cancel') await recipients.cancelWaiting(owner.accountId, id);
          else if (does === 'resend' || does === 'leave') {
            await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
              recipients.resolveUnknown(tx, owner.accountId, { campaignId: id, action: does, now: new Date() }),
            );
          } else {
            const dueAt = does === 'deferred' || does === 'queued' ? new Date() : undefined;
            for (const { row, state } of await recordOutcomes(own.map((one) => outcome(one, does, dueAt)))) {
              if (state === 'sent') sentOnce.set(row._id, (sentOnce.get(row._id) ?? 0) + 1);
            }
          }
          const counts = await recipients.countStates(owner.accountId, id);
          assert.equal(
            Object.values(counts).reduce((sum, count) => sum + count, 0),
            size,
          );
        }
        for (const times of sentOnce.values()) assert.equal(times, 1);
      }),
      { numRuns: 20 },
    );
  });

  await t.test('all workers share one throttle', async () => {
    const { owner, id } = await idleLedger(1);
    const campaigns = createCampaignsQueue(parts.mongo.db);
    const lane = { key: id, accountId: owner.accountId, campaignId: id, throttlePerMinute: 1 };
    const granted = await Promise.all(Array.from({ length: 8 }, () => campaigns.reserve(lane, 50)));
    assert.equal(
      granted.reduce((sum, count) => sum + count, 0),
      1,
    );
    await campaigns.giveBack(lane, 1);
    assert.equal(await campaigns.reserve(lane, 50), 1);
  });
});
