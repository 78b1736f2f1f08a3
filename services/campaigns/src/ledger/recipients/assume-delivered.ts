import { MessageDelivered } from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { messageOf } from './message-of.ts';
import { isPublished, type RecipientDocument, recipientsOf } from './recipient-row.ts';

type Deps = {
  mongo: Mongo;
  settings: SettingsStore;
  outbox: Outbox;
  onSettled?: (settled: Pick<RecipientDocument, 'state' | 'attempts'>) => void;
  logger: Logger;
};

const everyMs = 60_000;
const atOnce = 200;

/** A row that became `delivered` without proof has this reason. */
export const noBounce = 'no_bounce';

/** Marks sent emails that have not bounced within the time in the account's settings as delivered. */
export function createAssumeDelivered({ mongo, settings, outbox, onSettled, logger }: Deps) {
  const recipients = recipientsOf(mongo.db);

  const settle = (accountId: AccountId, sentBefore: Date) =>
    mongo.transaction({ correlationId: accountId, causationId: null }, async (tx) => {
      const { session } = tx;
      const old = { account_id: accountId, state: 'sent' as const, sent_at: { $lte: sentBefore } };
      const rows = await recipients.find(old, { session, hint: 'unproven' }).limit(atOnce).toArray();
      if (rows.length === 0) return 0;
      const now = new Date();
      await recipients.updateMany(
        { ...old, _id: { $in: rows.map(({ _id }) => _id) } },
        { $set: { state: 'delivered', reason: noBounce, updated_at: now, tally_changed: true } },
        { session },
      );
      const published = rows.filter(isPublished).map((row) => messageOf(row, now));
      await outbox.addMany(tx, MessageDelivered, accountId, published);
      tx.afterCommit(() => {
        for (const row of rows) onSettled?.({ ...row, state: 'delivered' });
      });
      return rows.length;
    });

  /** Settles every email that is due by `now`. */
  async function settleDue(now = new Date(), signal?: AbortSignal) {
    for (let last: AccountId | '' = ''; !signal?.aborted; ) {
      const next: Pick<RecipientDocument, 'account_id'> | null = await recipients.findOne(
        { ...(last !== '' && { account_id: { $gt: last } }), state: 'sent' },
        { sort: { account_id: 1 }, projection: { account_id: 1 }, hint: 'unproven' },
      );
      if (!next) return;
      last = next.account_id;
      const { delivered_after_hours: hours } = await settings.of(next.account_id);
      if (hours === null) continue;
      while (!signal?.aborted && (await settle(next.account_id, new Date(now.getTime() - hours * 3_600_000))) === atOnce);
    }
  }

  const runner = createRunner({
    logger,
    warning: 'marking emails as delivered failed; retrying',
    work: async (signal) => {
      await settleDue(new Date(), signal);
      return everyMs;
    },
  });
  return { start: runner.start, stop: runner.stop, settleDue };
}
