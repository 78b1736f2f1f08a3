import { suppressionHash } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `key` is a contact's ID for an unsubscription and for the next subscription, followed by the topic if it left only that, and the hash of an address for a bounce or a complaint, so it holds no personal data. */
type SuppressionDocument = {
  _id: string;
  account_id: AccountId;
  kind: 'unsubscribed' | 'resubscribed' | 'bounced' | 'complained' | 'left_topic';
  key: string;
  at: Date;
};

/** Unsubscriptions, hard bounces and complaints that this service saw itself, before the contacts service confirms them. */
export type Suppressions = {
  unsubscribedAt: Date | undefined;
  /** When the contact subscribed again on the preference page. */
  resubscribedAt?: Date | undefined;
  bounced: boolean;
  complained?: boolean;
  topicLeftAt?: Date | undefined;
};

export type SuppressionsStore = ReturnType<typeof createSuppressionsStore>;

/**
 * Unsubscriptions and bounces that this service saw itself. They take effect at once, before the contacts service has
 * processed and published them.
 */
export function createSuppressionsStore(db: Db) {
  const suppressions = db.collection<SuppressionDocument>('suppressions');

  const put = (tx: Transaction, accountId: AccountId, { kind, key, at }: Pick<SuppressionDocument, 'kind' | 'key' | 'at'>) =>
    suppressions.updateOne(
      { _id: `${accountId} ${kind} ${key}`, account_id: accountId },
      { $set: { kind, key, at } },
      { upsert: true, session: tx.session },
    );

  return {
    prepare: () => prepareCollection(suppressions, [{ key: { account_id: 1, kind: 1, key: 1 } }], db),

    unsubscribed: (tx: Transaction, accountId: AccountId, contactId: ContactId, at: Date) =>
      put(tx, accountId, { kind: 'unsubscribed', key: contactId, at }),

    /** Ends an earlier unsubscription, here and in the consent, but no bounce or complaint. */
    resubscribed: (tx: Transaction, accountId: AccountId, contactId: ContactId, at: Date) =>
      put(tx, accountId, { kind: 'resubscribed', key: contactId, at }),

    /** When the contact last unsubscribed in an email, and subscribed again. */
    async choicesOf(
      accountId: AccountId,
      contactId: ContactId,
      tx?: Transaction,
    ): Promise<Pick<Suppressions, 'unsubscribedAt' | 'resubscribedAt'>> {
      const kinds = ['unsubscribed', 'resubscribed'] as const;
      const rows = await suppressions
        .find(
          { account_id: accountId, kind: { $in: [...kinds] }, key: contactId },
          { ...(tx && { session: tx.session }), projection: { kind: 1, at: 1 } },
        )
        .toArray();
      const [unsubscribedAt, resubscribedAt] = kinds.map((wanted) => rows.find(({ kind }) => kind === wanted)?.at);
      return { unsubscribedAt, resubscribedAt };
    },

    bounced: (tx: Transaction, accountId: AccountId, email: string, at: Date) =>
      put(tx, accountId, { kind: 'bounced', key: suppressionHash(accountId, 'email', email), at }),

    complained: (tx: Transaction, accountId: AccountId, email: string, at: Date) =>
      put(tx, accountId, { kind: 'complained', key: suppressionHash(accountId, 'email', email), at }),

    leftTopic: (tx: Transaction, accountId: AccountId, { contactId, topic, at }: { contactId: ContactId; topic: string; at: Date }) =>
      put(tx, accountId, { kind: 'left_topic', key: `${contactId} ${topic}`, at }),

    async joinedTopic(tx: Transaction, accountId: AccountId, { contactId, topic }: { contactId: ContactId; topic: string }) {
      const _id = `${accountId} left_topic ${contactId} ${topic}`;
      await suppressions.deleteOne({ _id, account_id: accountId }, { session: tx.session });
    },

    /** When the contact left topics. */
    async topicsLeft(accountId: AccountId, contactId: ContactId, topics: readonly string[]): Promise<ReadonlyMap<string, Date>> {
      const keys = topics.map((topic) => `${contactId} ${topic}`);
      const rows = await suppressions.find({ account_id: accountId, kind: 'left_topic', key: { $in: keys } }).toArray();
      return new Map(rows.map(({ key, at }) => [key.slice(contactId.length + 1), at]));
    },

    /** Removes the bounce and the complaint of an address if they happened before `at`, so that it is emailed again. */
    async lift(tx: Transaction, accountId: AccountId, hash: string, at: Date) {
      const ids = [`${accountId} bounced ${hash}`, `${accountId} complained ${hash}`];
      await suppressions.deleteMany({ _id: { $in: ids }, account_id: accountId, at: { $lte: at } }, { session: tx.session });
    },

    /** Whether a complaint from this address is known by the email it was about. */
    async hasComplained(tx: Transaction, accountId: AccountId, email: string) {
      const _id = `${accountId} complained ${suppressionHash(accountId, 'email', email)}`;
      return (await suppressions.findOne({ _id, account_id: accountId }, { session: tx.session })) !== null;
    },

    async find(accountId: AccountId, contactIds: readonly ContactId[], emails: readonly string[], topic?: string | null) {
      const hashOf = (email: string) => suppressionHash(accountId, 'email', email);
      const rows = await suppressions
        .find({
          account_id: accountId,
          $or: [
            { kind: { $in: ['unsubscribed', 'resubscribed'] }, key: { $in: [...contactIds] } },
            ...(topic ? [{ kind: 'left_topic' as const, key: { $in: contactIds.map((id) => `${id} ${topic}`) } }] : []),
            { kind: { $in: ['bounced', 'complained'] }, key: { $in: emails.map(hashOf) } },
          ],
        })
        .toArray();
      const ofKind = (wanted: SuppressionDocument['kind']) =>
        new Map(rows.filter(({ kind }) => kind === wanted).map(({ key, at }) => [key, at]));
      const [unsubscribed, resubscribed, left] = [ofKind('unsubscribed'), ofKind('resubscribed'), ofKind('left_topic')];
      const [bounced, complained] = [ofKind('bounced'), ofKind('complained')];
      return {
        of: (contactId: ContactId, email: string | null) => ({
          unsubscribedAt: unsubscribed.get(contactId),
          resubscribedAt: resubscribed.get(contactId),
          topicLeftAt: topic ? left.get(`${contactId} ${topic}`) : undefined,
          bounced: email !== null && bounced.has(hashOf(email)),
          complained: email !== null && complained.has(hashOf(email)),
        }),
      };
    },
  };
}
