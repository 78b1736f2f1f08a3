import { type SuppressionKind, type SuppressionReason, suppressionHash } from '@mp/contracts/contact';
import { notFound } from '@mp/contracts/errors';
import { SuppressionAdded, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { hashesOf, type NewSuppression, type Suppression } from './suppression.ts';

type SuppressionDocument = {
  _id: string;
  account_id: AccountId;
  kind: SuppressionKind;
  /** null if only the hash is kept. */
  value: string | null;
  hash: string;
  reason: SuppressionReason;
  note: string | null;
  /** Missing if it is `created_at`. */
  suppressed_at?: Date;
  created_at: Date;
};

/** Why this address is suppressed; undefined if it is not. */
export type SuppressionOf = (email: string) => SuppressionReason | undefined;
export type SuppressionsStore = ReturnType<typeof createSuppressionsStore>;

/** Owns the `suppressions` collection. Suppressions remain after their contacts are deleted. */
export function createSuppressionsStore(db: Db, outbox: Outbox, cursors: Cursors) {
  const suppressions = db.collection<SuppressionDocument>('suppressions');

  type Added = Omit<SuppressionDocument, '_id' | 'account_id' | 'created_at'>;

  /** A result for each, in order: the first of several with the same hash is new. */
  async function putAll(tx: Transaction, accountId: AccountId, all: readonly Added[], now: Date) {
    const { session } = tx;
    const existing = await suppressions.find({ account_id: accountId, hash: { $in: all.map(({ hash }) => hash) } }, { session }).toArray();
    const known = new Map(existing.map((document) => [document.hash, document]));
    const created: SuppressionDocument[] = [];
    const results = all.map((added) => {
      const before = known.get(added.hash);
      if (before) return { suppression: viewOf(before), isNew: false };
      const document = { _id: newId('suppression'), account_id: accountId, ...added, created_at: now };
      known.set(added.hash, document);
      created.push(document);
      return { suppression: viewOf(document), isNew: true };
    });
    if (created.length === 0) return results;
    await suppressions.insertMany(created, { session });
    await outbox.addMany(tx, SuppressionAdded, accountId, created.map(eventDataOf));
    return results;
  }

  async function put(tx: Transaction, accountId: AccountId, added: Added, now: Date) {
    const [result] = await putAll(tx, accountId, [added], now);
    if (!result) throw new Error('A suppression has no result.');
    return result;
  }

  const addedOf = (accountId: AccountId, { value, hashOnly = false, suppressedAt, ...suppression }: NewSuppression): Added => ({
    ...suppression,
    value: hashOnly ? null : value,
    hash: suppressionHash(accountId, suppression.kind, value),
    ...(suppressedAt && { suppressed_at: suppressedAt }),
  });

  return {
    prepare: () =>
      prepareCollection(
        suppressions,
        [
          { name: 'hash', key: { account_id: 1, hash: 1 }, unique: true },
          { name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } },
        ],
        db,
      ),

    /** Which of these addresses are suppressed. A suppression of the address takes precedence over one of its domain. */
    async ofEmails(accountId: AccountId, emails: readonly string[], tx?: Transaction): Promise<SuppressionOf> {
      if (emails.length === 0) return () => undefined;
      const hashes = [...new Set(emails.flatMap((email) => hashesOf(accountId, email)))];
      const rows = await suppressions
        .find({ account_id: accountId, hash: { $in: hashes } }, tx && { session: tx.session })
        .project<{ hash: string; reason: SuppressionReason }>({ hash: 1, reason: 1 })
        .toArray();
      if (rows.length === 0) return () => undefined;
      const reasons = new Map(rows.map(({ hash, reason }) => [hash, reason]));
      return (email) => {
        const [own, domain] = hashesOf(accountId, email);
        return reasons.get(own) ?? reasons.get(domain);
      };
    },

    /** An existing suppression stays unchanged. */
    add: (tx: Transaction, accountId: AccountId, suppression: NewSuppression, now = new Date()) =>
      put(tx, accountId, addedOf(accountId, suppression), now),

    /** As `add`, with a result for each. */
    addAll: (tx: Transaction, accountId: AccountId, all: readonly NewSuppression[], now = new Date()) =>
      putAll(
        tx,
        accountId,
        all.map((suppression) => addedOf(accountId, suppression)),
        now,
      ),

    /** Suppresses an address of which only the hash is known. An existing suppression stays unchanged. */
    addHash: (
      tx: Transaction,
      accountId: AccountId,
      { hash, reason, now = new Date() }: { hash: string; reason: SuppressionReason; now?: Date },
    ) => put(tx, accountId, { kind: 'email', value: null, hash, reason, note: null }, now),

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<Suppression> {
      const document = await suppressions.findOne({ _id: id, account_id: accountId });
      if (!document) throw notFound();
      return viewOf(document);
    },

    /** Throws NOT_FOUND. */
    async remove(tx: Transaction, accountId: AccountId, id: string) {
      const document = await suppressions.findOneAndDelete({ _id: id, account_id: accountId }, { session: tx.session });
      if (!document) throw notFound();
      await outbox.add(tx, SuppressionRemoved, accountId, { ...eventDataOf(document), at: new Date().toISOString() });
      return document;
    },

    /** Keeps only the hash. Publishes the suppression again without the address, for consumers that have missed the first event. */
    async forgetValue(tx: Transaction, accountId: AccountId, email: string) {
      const row = await suppressions.findOneAndUpdate(
        { account_id: accountId, hash: suppressionHash(accountId, 'email', email) },
        { $set: { value: null, note: null } },
        { session: tx.session, returnDocument: 'after' },
      );
      if (row) await outbox.add(tx, SuppressionAdded, accountId, eventDataOf(row));
    },

    async list(
      accountId: AccountId,
      {
        limit,
        cursor,
        email,
        domain,
        sort,
      }: { limit: number; cursor?: string | undefined; email?: string | undefined; domain?: string | undefined; sort: string },
    ) {
      const named =
        email === undefined ? domain && suppressionHash(accountId, 'domain', domain) : suppressionHash(accountId, 'email', email);
      const { items, pagination } = await findPage({
        collection: suppressions,
        filter: { account_id: accountId, ...(named && { hash: named }) },
        order: { field: 'created_at', direction: sort.startsWith('-') ? -1 : 1 },
        limit,
        cursor,
        cursors,
        boundTo: ['suppressions', accountId, named, sort],
      });
      return { items: items.map(viewOf), pagination };
    },
  };
}

const viewOf = ({ _id, kind, value, hash, reason, note, created_at, suppressed_at = created_at }: SuppressionDocument): Suppression => ({
  id: _id,
  email: kind === 'email' ? value : null,
  domain: kind === 'domain' ? value : null,
  hash,
  reason,
  note,
  suppressed_at: suppressed_at.toISOString(),
  created_at: created_at.toISOString(),
});

const eventDataOf = ({ _id, kind, value, hash, reason, created_at }: SuppressionDocument) => ({
  suppression_id: _id,
  kind,
  value,
  hash,
  reason,
  at: created_at.toISOString(),
});
