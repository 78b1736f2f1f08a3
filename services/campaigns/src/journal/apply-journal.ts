import { CampaignEffectCompleted, MessageSent } from '@mp/contracts/events/campaigns';
import type { JournalEntry } from '@mp/contracts/journal';
import { isDuplicateKey, type Mongo, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import { messageOf } from '../ledger/recipients/message-of.ts';
import { type Left, occasionOf, type RestoredRows, type Settled } from '../ledger/recipients/restored-rows.ts';

type Deps = { mongo: Mongo; outbox: Outbox; campaigns: CampaignsStore; rows: RestoredRows };

const origin = { correlationId: 'apply-journal', causationId: null };
const atOnce = 100;
const attempts = 5;

/**
 * Records in a restored ledger which emails were sent after the backup, so that none is sent twice: waiting rows are
 * settled, and missing rows are added before their campaign or workflow would create them. The resulting events are
 * published again. Emails of campaigns that the backup does not have are skipped.
 */
export function createApplyJournal({ mongo, outbox, campaigns, rows }: Deps) {
  async function publish(tx: Transaction, written: readonly Settled[]) {
    for (const [accountId, own] of Map.groupBy(written, ({ row }) => row.account_id)) {
      const sent = own.filter(({ left }) => left.state === 'sent');
      await outbox.addMany(
        tx,
        MessageSent,
        accountId,
        sent.map(({ row, left }) => messageOf(row, new Date(left.at))),
      );
      const effects = own.flatMap(({ row: { run_id, source_key, _id }, left }) =>
        run_id === undefined ? [] : [{ run_id, effect_key: source_key, recipient_id: _id, ...resultOf(left) }],
      );
      await outbox.addMany(tx, CampaignEffectCompleted, accountId, effects);
    }
  }

  const applyBatch = (messages: readonly Left[]) =>
    mongo.transaction(origin, async (tx) => {
      const found = await rows.find(tx, messages);
      const settled = messages.flatMap((left) => {
        const row = found.get(left.recipient_id);
        return row && rows.canStillLeave(row) ? [{ row, left }] : [];
      });
      const missing = await ofKnownCampaigns(
        tx,
        messages.filter(({ recipient_id }) => !found.has(recipient_id)),
      );
      await rows.settle(tx, settled);
      const added = await rows.add(tx, missing);
      await publish(tx, [...settled, ...added]);
      return { settled: settled.length, added: added.length };
    });

  /** Adds the missing emails to the audience counts of their campaigns, and drops those of campaigns that do not exist. */
  async function ofKnownCampaigns(tx: Transaction, missing: readonly Left[]): Promise<Left[]> {
    const known: Left[] = [];
    for (const [campaignId, own] of Map.groupBy(missing, ({ campaign_id }) => campaign_id)) {
      const accountId = own[0]?.account_id;
      const isKnown = campaignId === null || (accountId && (await campaigns.addToAudience(tx, accountId, campaignId, own.length)));
      if (isKnown) known.push(...own);
    }
    return known;
  }

  /** Applies the batch again after a duplicate key: a consumer may have added the same row at the same time. */
  async function applyOrLookAgain(messages: readonly Left[], left = attempts): ReturnType<typeof applyBatch> {
    try {
      return await applyBatch(messages);
    } catch (error) {
      if (!isDuplicateKey(error) || left === 0) throw error;
      return applyOrLookAgain(messages, left - 1);
    }
  }

  return async (journal: AsyncIterable<JournalEntry>) => {
    const done = { settled: 0, added: 0 };
    let batch = new Map<string, Left>();
    const flush = async () => {
      if (batch.size === 0) return;
      const { settled, added } = await applyOrLookAgain([...batch.values()]);
      done.settled += settled;
      done.added += added;
      batch = new Map();
    };
    for await (const entry of journal) {
      if (entry.kind !== 'message') continue;
      batch.set(occasionOf(entry), entry);
      if (batch.size >= atOnce) await flush();
    }
    await flush();
    await rows.markUnrecorded();
    return done;
  };
}

/** The result of the email for the workflow's run. */
const resultOf = ({ state }: Left) =>
  state === 'sent'
    ? { status: 'done' as const, reason: null }
    : { status: 'refused' as const, reason: `${state}: according to the journal of a restored backup` };
