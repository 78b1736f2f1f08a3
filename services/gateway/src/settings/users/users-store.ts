import { CredentialChanged } from '@mp/contracts/events/platform';
import { type AccountId, trustedId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { newestFirst } from '../newest-first.ts';
import type { RoleId } from '../roles/role.ts';
import { stateOfUser, type UserRow } from './user.ts';

type UserDocument = Omit<UserRow, 'id'> & { _id: string };

export type UsersStore = ReturnType<typeof createUsersStore>;

/** The maximum of accounts tried when several have the email address that signs in. */
const maxAccountsPerAddress = 5;

/** Owns the `users` collection. */
export function createUsersStore(db: Db, outbox: Outbox) {
  const users = db.collection<UserDocument>('users');

  return {
    prepare: () =>
      prepareCollection(
        users,
        [
          { key: { account_id: 1, created_at: -1, _id: -1 } },
          { key: { account_id: 1, role: 1 }, name: 'one_owner', unique: true, partialFilterExpression: { role: 'owner' } },
          { key: { account_id: 1, email: 1 }, name: 'one_address', unique: true, partialFilterExpression: { email: { $gt: '' } } },
          // Sign-in does not name an account.
          { key: { email: 1, created_at: 1 }, name: 'sign_in', partialFilterExpression: { email: { $gt: '' } } },
        ],
        db,
      ),

    find: async (accountId: AccountId, id: string, tx?: Transaction) =>
      rowOf(await users.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })),
    /** The names of those of these users who are in the account. */
    async names(accountId: AccountId, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await users.find({ account_id: accountId, _id: { $in: [...ids] } }, { projection: { name: 1 } }).toArray();
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
    /** Which of these users are not in the account. */
    async missing(accountId: AccountId, ids: readonly string[]): Promise<string[]> {
      const found = await users.find({ account_id: accountId, _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray();
      const present = new Set<string>(found.map(({ _id }) => _id));
      return ids.filter((id) => !present.has(id));
    },
    findOwner: async (accountId: AccountId, tx?: Transaction) =>
      rowOf(await users.findOne({ account_id: accountId, role: 'owner' }, tx && { session: tx.session })),
    /** An email address may exist in several, unrelated accounts. */
    findByEmail: async (email: string) =>
      (await users.find({ email }).sort({ created_at: 1 }).limit(maxAccountsPerAddress).toArray()).map(rowFrom),
    findInAccount: async (accountId: AccountId, email: string, tx?: Transaction) =>
      rowOf(await users.findOne({ account_id: accountId, email }, tx && { session: tx.session })),

    list: newestFirst(users, rowFrom),

    /** All users of an account, for the operator's commands; at most a few hundred. */
    all: async (accountId: AccountId) =>
      (await users.find({ account_id: accountId }).sort({ created_at: 1 }).limit(1_000).toArray()).map(rowFrom),

    /** The email addresses of the owner and the admins. */
    adminAddresses: async (accountId: AccountId, tx: Transaction): Promise<string[]> => {
      const admins = { account_id: accountId, role: { $in: ['owner' as const, 'admin' as const] }, email: { $ne: null } };
      const found = await users
        .find(admins, { session: tx.session, projection: { email: 1 } })
        .limit(100)
        .toArray();
      return found.flatMap(({ email }) => email ?? []);
    },

    /** All users with this role; at most as many as an account can have. */
    withRole: async (tx: Transaction, accountId: AccountId, role: RoleId) =>
      (await users.find({ account_id: accountId, role }, { session: tx.session }).limit(1_000).toArray()).map(rowFrom),

    count: (tx: Transaction, accountId: AccountId) => users.countDocuments({ account_id: accountId }, { session: tx.session }),

    async insert(tx: Transaction, { id, ...fields }: UserRow) {
      await users.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    /** Changes the user and publishes the change to every gateway, for all sessions of the user. */
    async update(tx: Transaction, { id, account_id, ...fields }: UserRow) {
      await users.updateOne({ _id: id, account_id }, { $set: fields }, { session: tx.session });
      await outbox.add(tx, CredentialChanged, account_id, { credential_id: id, state: stateOfUser(fields) });
    },

    async signedIn(tx: Transaction, { id, account_id }: UserRow, now: Date) {
      await users.updateOne({ _id: id, account_id }, { $set: { last_signed_in_at: now } }, { session: tx.session });
    },

    async delete(tx: Transaction, user: UserRow) {
      const { id, account_id } = user;
      await users.deleteOne({ _id: id, account_id }, { session: tx.session });
      await outbox.add(tx, CredentialChanged, account_id, { credential_id: id, state: stateOfUser(user, true) });
    },

    /** The account's only owner, created if missing. */
    async ensureOwner(owner: UserRow): Promise<UserRow> {
      const { id, ...fields } = owner;
      try {
        const document = await users.findOneAndUpdate(
          { account_id: owner.account_id, role: 'owner' },
          { $setOnInsert: { _id: id, ...fields } },
          { upsert: true, returnDocument: 'after' },
        );
        return rowOf(document) ?? owner;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return rowOf(await users.findOne({ account_id: owner.account_id, role: 'owner' })) ?? owner;
      }
    },
  };
}

/** Users created by early releases lack some of the fields. */
function rowFrom({ _id, ...fields }: UserDocument): UserRow {
  return {
    ...{ email: null, password: null, last_signed_in_at: null, has_second_factor: false, role_scopes: null, role_limits: null },
    ...fields,
    id: trustedId<'user'>(_id),
  };
}

const rowOf = (document: UserDocument | null): UserRow | undefined => (document ? rowFrom(document) : undefined);
