import { suppressionHash } from '@mp/contracts/contact';
import {
  AddressRejected,
  CampaignEffectCompleted,
  MessageBounced,
  MessageDeferred,
  MessageDelivered,
  MessageFailed,
  MessageSent,
} from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { SuppressionsStore } from '../../audience/contactables/suppressions-store.ts';
import { messageOf, rejectedAddress } from './message-of.ts';
import { isPublished, isTest, type RecipientDocument } from './recipient-row.ts';
import type { Outcome, RecipientsQueue } from './recipients-queue.ts';

type Deps = {
  mongo: Mongo;
  queue: RecipientsQueue;
  suppressions: SuppressionsStore;
  outbox: Outbox;
  /** Called for each row that was written. */
  onSettled?: (settled: Pick<RecipientDocument, 'state' | 'attempts'>) => void;
};

export type RecordOutcomes = ReturnType<typeof createRecordOutcomes>;

export type Settled = Awaited<ReturnType<RecipientsQueue['settle']>>[number];

const isAccepted = ({ state }: Settled) => state === 'sent' || state === 'delivered';

/** Writes the outcomes of claimed rows and publishes them, in one transaction. Returns those that were written. */
export function createRecordOutcomes({ mongo, queue, suppressions, outbox, onSettled }: Deps) {
  async function publishOutcomes(tx: Transaction, accountId: AccountId, all: readonly Settled[]) {
    const settled = all.filter(({ row }) => isPublished(row));
    await outbox.addMany(
      tx,
      MessageSent,
      accountId,
      settled.filter(isAccepted).map(({ row, at }) => messageOf(row, at)),
    );
    await outbox.addMany(
      tx,
      MessageDelivered,
      accountId,
      settled.filter(({ state }) => state === 'delivered').map(({ row, at }) => messageOf(row, at)),
    );
    const refused = settled.filter(({ state, reason }) => state === 'bounced' || (state === 'failed' && reason === 'refused'));
    await outbox.addMany(
      tx,
      MessageBounced,
      accountId,
      refused.map(({ row, at, state, detail, reason }) => ({
        ...messageOf(row, at),
        hard: state === 'bounced',
        reason: (detail ?? reason ?? '').slice(0, 1_000),
        ...(row.address && { address_hash: suppressionHash(accountId, 'email', row.address) }),
      })),
    );
    const reasonOf = ({ row, at, detail, reason }: Settled) => ({
      ...messageOf(row, at),
      reason: (detail ?? reason ?? '').slice(0, 1_000),
    });
    const deferred = settled.filter(({ state }) => state === 'deferred');
    await outbox.addMany(tx, MessageDeferred, accountId, deferred.map(reasonOf));
    const failed = settled.filter(({ state, reason }) => state === 'failed' && reason !== 'refused');
    await outbox.addMany(tx, MessageFailed, accountId, failed.map(reasonOf));
    for (const { row, state, at } of all) {
      if (state === 'bounced' && row.address && !isTest(row)) await suppressions.bounced(tx, accountId, row.address, at);
    }
    await outbox.addMany(
      tx,
      AddressRejected,
      accountId,
      all.flatMap(({ row, state, at }) => (state === 'bounced' ? rejectedAddress(row, 'hard_bounce', at) : [])),
    );
    await outbox.addMany(tx, CampaignEffectCompleted, accountId, settled.flatMap(effectOf));
  }

  return async (outcomes: readonly Outcome[]): Promise<Settled[]> => {
    if (outcomes.length === 0) return [];
    return mongo.transaction({ correlationId: outcomes[0]?.row._id ?? '', causationId: null }, async (tx) => {
      const settled = await queue.settle(tx, outcomes);
      const byAccount = Map.groupBy(settled, ({ row }) => row.account_id);
      for (const [accountId, own] of byAccount) await publishOutcomes(tx, accountId, own);
      tx.afterCommit(() => {
        for (const { row, state } of settled) onSettled?.({ ...row, state });
      });
      return settled;
    });
  };
}

/** The result for a workflow run. A row that was `unknown` has already reported one. */
function effectOf(settled: Settled) {
  const { row, state, reason, detail, from, allowedAt } = settled;
  if (row.run_id === undefined || from === 'unknown' || state === 'deferred' || state === 'queued') return [];
  const refusal = state === 'unknown' ? 'unknown: the connection broke during sending' : (detail ?? reason ?? state);
  return [
    {
      effect_key: row.source_key,
      run_id: row.run_id,
      status: isAccepted(settled) ? ('done' as const) : ('refused' as const),
      reason: isAccepted(settled) ? null : state === 'skipped' ? reason : refusal,
      recipient_id: row._id,
      ...(reason === 'template_error' && { detail: detail ?? null }),
      ...(allowedAt && { retry_at: allowedAt.toISOString() }),
    },
  ];
}
