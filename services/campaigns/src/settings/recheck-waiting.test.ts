import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { newRecipient, recipientIndexes, recipientsOf } from '../ledger/recipients/recipient-row.ts';
import { createRecipientsQueue } from '../ledger/recipients/recipients-queue.ts';
import { createRecheckWaiting } from './recheck-waiting.ts';
import { defaultSettings } from './settings.ts';
import { createSettingsStore } from './settings-store.ts';

const hourMs = 3_600_000;
const quiet_hours = { from: '21:00', to: '08:00', timezone: 'UTC' };

test('emails that wait because of earlier settings', async (t) => {
  const { mongo, logger } = await testParts(t, 'campaigns');
  const settings = createSettingsStore(mongo.db);
  await settings.prepare();
  const recipients = recipientsOf(mongo.db);
  await recipients.createIndexes([...recipientIndexes]);
  const change = (accountId: AccountId, changed: object) =>
    mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      settings.replace(tx, accountId, { ...defaultSettings, ...changed }),
    );
  const start = (queue: Parameters<typeof createRecheckWaiting>[0]['queue'], maxClaimedMs = 0) => {
    const worker = createRecheckWaiting({ settings, queue, maxClaimedMs, onDue: () => undefined, logger });
    worker.start();
    t.after(worker.stop);
    return worker;
  };

  await t.test('an account with many of them does not delay another', async () => {
    const [many, few] = [newId('account'), newId('account')];
    await change(many, { quiet_hours });
    await change(few, { quiet_hours });
    const turns: AccountId[] = [];
    const worker = start({
      async recheckWaiting(accountId) {
        turns.push(accountId);
        return accountId === many && turns.length < 6 ? 500 : 3;
      },
    });
    await eventually(async () => turns.length >= 6);
    await worker.stop();
    assert.ok(turns.indexOf(few) <= 1, `its turn came after ${turns.indexOf(few)} others`);
  });

  await t.test('are due again after a change of what they wait for, and only those', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    const until = new Date(Date.now() + hourMs);
    const rowOf = (account: AccountId, waits?: { for: 'quiet_hours'; settings: number }) => {
      const source = { account_id: account, source: 'campaign', source_id: 'c', source_key: 'c', content_id: 'c' } as const;
      return { ...newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()), due_at: until, ...(waits && { waits }) };
    };
    const quiet = { for: 'quiet_hours', settings: 0 } as const;
    const waiting = Array.from({ length: 1_100 }, () => rowOf(accountId, quiet));
    const kept = [rowOf(accountId), rowOf(accountId, { ...quiet, settings: 2 }), rowOf(other, quiet)];
    await recipients.insertMany([...waiting, ...kept]);
    const queue = createRecipientsQueue(mongo.db);
    const worker = start(queue);
    const due = (account: AccountId) => recipients.countDocuments({ account_id: account, due_at: { $lte: new Date() } });
    await change(accountId, { topics: [{ id: 'news', name: 'News' }] });
    assert.equal(await settings.claimChanged(1), undefined, 'no email waits for topics');
    await change(accountId, { quiet_hours });
    worker.wake();
    await eventually(async () => (await due(accountId)) === waiting.length);
    await eventually(async () => (await settings.claimChanged(1)) === undefined);
    assert.deepEqual([await due(accountId), await due(other)], [waiting.length, 0]);
  });
});
