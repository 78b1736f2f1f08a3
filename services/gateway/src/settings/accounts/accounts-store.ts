import { AccountChanged } from '@mp/contracts/events/platform';
import { type AccountId, trustedId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import type { DecidingAccount } from '../../credentials/credential.ts';
import { memoizedParse } from '../../credentials/memoized-parse.ts';
import { type AccountRow, decidingAccount, defaultSettings } from './account.ts';

type AccountDocument = Omit<AccountRow, 'id'> & { _id: string; decisions?: number; audit?: AuditChain };

/**
 * The chain of the account's audit log: the sequence and hash of its newest entry, and of the newest one that has been deleted
 * because it was too old; and how many entries of version 0.1.0 there are, which have neither.
 */
export type AuditChain = { sequence: number; hash: string | null; deleted?: { sequence: number; hash: string }; unchained?: number };

export type AccountChange = Partial<Omit<AccountRow, 'id' | 'name' | 'revision' | 'status_set_at' | 'created_at' | 'updated_at'>>;

const deciding = { plan: 1, status: 1, daily_requests: 1, requests_per_second: 1 } as const;

const parse = memoizedParse(({ _id, ...fields }: Pick<AccountDocument, '_id' | keyof typeof deciding>) =>
  decidingAccount({ id: trustedId<'account'>(_id), ...fields }),
);

export type AccountsStore = ReturnType<typeof createAccountsStore>;

/** Owns the `accounts` collection. */
export function createAccountsStore(db: Db, outbox: Outbox) {
  const accounts = db.collection<AccountDocument>('accounts');

  const publish = (tx: Transaction, { id, status, revision }: Pick<AccountRow, 'id'> & Partial<AccountRow>) =>
    outbox.add(tx, AccountChanged, id, { account_id: id, ...(status && revision !== undefined && { status, revision }) });

  return {
    prepare: () => prepareCollection(accounts, [{ key: { name: 1 }, unique: true }], db),

    find: async (id: AccountId, tx?: Transaction) => rowOf(await accounts.findOne({ _id: id }, tx && { session: tx.session })),
    /** The fields that requests depend on, for these accounts. Unknown ids are omitted. */
    async findDeciding(ids: readonly string[]): Promise<DecidingAccount[]> {
      const found = accounts.find<Uint8Array>({ _id: { $in: [...ids] } }, { projection: deciding, raw: true });
      return (await found.toArray()).map(parse);
    },
    findByName: async (name: string) => rowOf(await accounts.findOne({ name })),
    findByIdOrName: async (text: string) => rowOf(await accounts.findOne({ $or: [{ _id: text }, { name: text }] })),
    list: async () => (await accounts.find().sort({ created_at: 1, _id: 1 }).toArray()).map(rowFrom),

    /** The account with this name, created if missing. Concurrent calls return the same account. */
    async ensure(account: AccountRow): Promise<AccountRow> {
      const { id, ...fields } = account;
      try {
        const document = await accounts.findOneAndUpdate(
          { name: account.name },
          { $setOnInsert: { _id: id, ...fields } },
          { upsert: true, returnDocument: 'after' },
        );
        return rowOf(document) ?? account;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return rowOf(await accounts.findOne({ name: account.name })) ?? account;
      }
    },

    /** The accounts whose audit log is not kept for ever, and for how many days. */
    auditRetentions: async (): Promise<{ id: AccountId; days: number }[]> =>
      (await accounts.find({ audit_retention_days: { $gt: 0 } }, { projection: { audit_retention_days: 1 } }).toArray()).map(
        ({ _id, audit_retention_days }) => ({ id: trustedId<'account'>(_id), days: Number(audit_retention_days) }),
      ),

    /** Locks the account until the transaction ends. Serializes transactions that decide by what else the account has. */
    async lock(tx: Transaction, id: AccountId) {
      await accounts.updateOne({ _id: id }, { $inc: { decisions: 1 } }, { session: tx.session });
    },

    auditChain: async (id: AccountId, tx?: Transaction) =>
      (await accounts.findOne({ _id: id }, { ...(tx && { session: tx.session }), projection: { audit: 1 } }))?.audit,

    /** The sequence of the next audit entry, and the hash of the one before. Locks the account, so that entries follow one another. */
    async extendAuditChain(tx: Transaction, id: AccountId): Promise<AuditChain> {
      const options = { session: tx.session, returnDocument: 'after', projection: { audit: 1 } } as const;
      const account = await accounts.findOneAndUpdate({ _id: id }, { $inc: { 'audit.sequence': 1 } }, options);
      if (!account?.audit) throw new Error(`There is no account ${id}.`);
      return { ...account.audit, hash: account.audit.hash ?? null };
    },

    async setAuditChain(tx: Transaction, id: AccountId, audit: Partial<AuditChain>) {
      const fields = Object.entries(audit).map(([name, value]) => [`audit.${name}`, value]);
      await accounts.updateOne({ _id: id }, { $set: Object.fromEntries(fields) }, { session: tx.session });
    },

    /** Changes the account and publishes its new state. Gateways and services keep the state with the highest revision. */
    async update(tx: Transaction, id: AccountId, change: AccountChange, revisions = 1) {
      const now = new Date();
      const set = { ...change, updated_at: now, ...(change.status && { status_set_at: now }) };
      const changed = { $set: set, $inc: { revision: revisions } };
      const account = await accounts.findOneAndUpdate({ _id: id }, changed, { session: tx.session, returnDocument: 'after' });
      await publish(tx, rowOf(account) ?? { id });
    },

    /** Publishes the next batch of suspended accounts, by id after `after`. Returns the last id, or null at the end. */
    async publishSuspended(tx: Transaction, after: string | null, max: number): Promise<string | null> {
      const found = await accounts
        .find({ status: 'suspended', ...(after !== null && { _id: { $gt: after } }) }, { session: tx.session })
        .sort({ _id: 1 })
        .limit(max)
        .toArray();
      for (const document of found) await publish(tx, rowFrom(document));
      return found.length < max ? null : (found.at(-1)?._id ?? null);
    },
  };
}

/** Accounts created by early releases lack fields that were added later. */
function rowFrom({ _id, decisions: _, audit: __, ...fields }: AccountDocument): AccountRow {
  return {
    ...{ display_name: null, timezone: 'UTC', revision: 1, requests_per_second: null, status_set_at: null },
    ...defaultSettings,
    // A requirement of single sign-on that is older than this setting is not widened.
    ...(fields.single_sign_on === 'required' && { installation_providers: 'off' as const }),
    ...fields,
    id: trustedId<'account'>(_id),
  };
}

const rowOf = (document: AccountDocument | null): AccountRow | undefined => (document ? rowFrom(document) : undefined);
