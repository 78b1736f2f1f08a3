import { suppressionHash } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `key` is a contact's id for an unsubscription, the hash of an address for a bounce: nothing personal. */
type SuppressionDocument = { _id: string; account_id: string; kind: 'unsubscribed' | 'bounced'; key: string; at: Date };

export type SuppressionsStore = ReturnType<typeof createSuppressionsStore>;

/**
 * What our own links and our own mail server told us. It holds from that moment, before contacts has heard of it and
 * told everybody.
 */
export function createSuppressionsStore(db: Db) {
  const suppressions = db.collection<SuppressionDocument>('suppressions');

  const put = (tx: Transaction, accountId: string, kind: SuppressionDocument['kind'], key: string, at: Date) =>
    suppressions.updateOne(
      { _id: `${accountId} ${kind} ${key}`, account_id: accountId },
      { $set: { kind, key, at } },
      { upsert: true, session: tx.session },
    );

  return {
    prepare: () => prepareCollection(suppressions, [{ key: { account_id: 1, kind: 1, key: 1 } }], db),

    unsubscribed: (tx: Transaction, accountId: string, contactId: string, at: Date) => put(tx, accountId, 'unsubscribed', contactId, at),
    bounced: (tx: Transaction, accountId: string, email: string, at: Date) =>
      put(tx, accountId, 'bounced', suppressionHash(accountId, 'email', email), at),

    /** Lets an address be tried again that bounced before `at`. */
    async lift(tx: Transaction, accountId: string, hash: string, at: Date) {
      const _id = `${accountId} bounced ${hash}`;
      await suppressions.deleteOne({ _id, account_id: accountId, at: { $lte: at } }, { session: tx.session });
    },

    async find(accountId: string, contactIds: readonly string[], emails: readonly string[]) {
      const hashOf = (email: string) => suppressionHash(accountId, 'email', email);
      const rows = await suppressions
        .find({
          account_id: accountId,
          $or: [
            { kind: 'unsubscribed', key: { $in: [...contactIds] } },
            { kind: 'bounced', key: { $in: emails.map(hashOf) } },
          ],
        })
        .toArray();
      const unsubscribed = new Map(rows.filter(({ kind }) => kind === 'unsubscribed').map(({ key, at }) => [key, at]));
      const bounced = new Set(rows.filter(({ kind }) => kind === 'bounced').map(({ key }) => key));
      return {
        of: (contactId: string, email: string | null) => ({
          unsubscribedAt: unsubscribed.get(contactId),
          bounced: email !== null && bounced.has(hashOf(email)),
        }),
      };
    },
  };
}
