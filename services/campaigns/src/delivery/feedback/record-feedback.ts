import { suppressionHash } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { AddressRejected, MessageBounced, MessageComplained } from '@mp/contracts/events/campaigns';
import type { AccountId } from '@mp/ids';
import { isDuplicateKey, type Mongo, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { SuppressionsStore } from '../../audience/contactables/suppressions-store.ts';
import { messageOf, rejectedAddress } from '../../ledger/recipients/message-of.ts';
import { isPublished, isTest, type RecipientDocument } from '../../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { publishDelivery } from '../../ledger/recipients/settle-delivered.ts';
import type { Feedback } from './feedback.ts';

type FeedbackDocument = { _id: string; account_id: AccountId; at: Date };

type Deps = {
  mongo: Mongo;
  recipients: RecipientsStore;
  suppressions: SuppressionsStore;
  outbox: Outbox;
  onSettled?: (settled: Pick<RecipientDocument, 'state' | 'attempts'>) => void;
};

/** Longer than any report is accepted after its time, so that a repeated one is recognised. */
const keptSeconds = 30 * 24 * 60 * 60;

export type RecordFeedback = ReturnType<typeof createRecordFeedback>;

/** Applies feedback to the ledger, each once. Hard bounces and complaints suppress the address. */
export function createRecordFeedback({ mongo, recipients, suppressions, outbox, onSettled }: Deps) {
  const seen = mongo.db.collection<FeedbackDocument>('feedback');

  const settlementOf = ({ kind, hard, detail, at }: Feedback) => {
    if (kind !== 'bounced') return { state: kind, reason: null, detail: null, at };
    return { state: hard ? ('bounced' as const) : ('failed' as const), reason: hard ? 'bad_address' : 'refused', detail, at };
  };

  async function publish(tx: Transaction, before: RecipientDocument, { kind, hard, detail, at }: Feedback) {
    const { account_id: accountId, address } = before;
    const suppresses = kind === 'complained' || (kind === 'bounced' && hard);
    if (suppresses && address !== null && !isTest(before)) {
      await (kind === 'bounced' ? suppressions.bounced : suppressions.complained)(tx, accountId, address, at);
      const reason = kind === 'bounced' ? 'hard_bounce' : 'complaint';
      await outbox.addMany(tx, AddressRejected, accountId, rejectedAddress(before, reason, at));
    }
    if (!isPublished(before)) return;
    const address_hash = address === null ? {} : { address_hash: suppressionHash(accountId, 'email', address) };
    if (kind !== 'bounced' && before.state !== 'delivered') await publishDelivery(outbox, tx, before, at);
    if (kind === 'complained') await outbox.add(tx, MessageComplained, accountId, { ...messageOf(before, at), ...address_hash });
    if (kind === 'bounced')
      await outbox.add(tx, MessageBounced, accountId, {
        ...messageOf(before, at),
        hard,
        reason: (detail ?? '').slice(0, 1_000),
        ...address_hash,
      });
  }

  async function recordOne(tx: Transaction, accountId: AccountId, feedback: Feedback) {
    const _id = `${accountId} ${feedback.id}`;
    if (await seen.findOne({ _id, account_id: accountId }, { session: tx.session })) return;
    await seen.insertOne({ _id, account_id: accountId, at: new Date() }, { session: tx.session });
    const row = await recipients.findById(accountId, feedback.recipientId, tx);
    // The worker is about to write the mail server's response; the report is sent again later.
    if (row?.state === 'sending')
      throw new ApiError('SERVICE_UNAVAILABLE', 'The email is still being sent; send the report again.', { retryAfter: 5 });
    const settlement = settlementOf(feedback);
    const before = row && (await recipients.settleByFeedback(tx, row, settlement));
    if (!before) return;
    await publish(tx, before, feedback);
    tx.afterCommit(() => onSettled?.({ ...before, state: settlement.state }));
  }

  return {
    prepare: () => prepareCollection(seen, [{ key: { at: 1 }, expireAfterSeconds: keptSeconds }, { key: { account_id: 1 } }], mongo.db),

    /** Throws SERVICE_UNAVAILABLE if the report has to be sent again. */
    async record(accountId: AccountId, feedback: Feedback, correlationId: string) {
      try {
        await mongo.transaction({ correlationId, causationId: null }, (tx) => recordOne(tx, accountId, feedback));
      } catch (error) {
        // The same report came twice at the same time.
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
