import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { UserRow } from './user.ts';

type UserDocument = Omit<UserRow, 'id'> & { _id: string };

export type UsersStore = ReturnType<typeof createUsersStore>;

/** The only place that knows the `users` collection. */
export function createUsersStore(db: Db) {
  const users = db.collection<UserDocument>('users');

  return {
    prepare: () =>
      prepareCollection(
        users,
        [
          { key: { account_id: 1, created_at: 1 } },
          { key: { account_id: 1, role: 1 }, name: 'one_owner', unique: true, partialFilterExpression: { role: 'owner' } },
        ],
        db,
      ),

    find: async (accountId: string, id: string) => rowOf(await users.findOne({ _id: id, account_id: accountId })),
    findOwner: async (accountId: string) => rowOf(await users.findOne({ account_id: accountId, role: 'owner' })),

    /** The account's owner, made when there is none; an account has one. */
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

function rowOf(document: UserDocument | null): UserRow | undefined {
  if (!document) return undefined;
  const { _id, ...fields } = document;
  return { id: _id, ...fields };
}
