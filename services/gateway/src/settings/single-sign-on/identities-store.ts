import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** Links an identity at a provider to a user. `_id` names the provider and the subject. */
type IdentityDocument = { _id: string; account_id: AccountId; user_id: UserId; provider_id: string; created_at: Date };

type User = { id: UserId; account_id: AccountId };
type Provider = { id: string; account_id: AccountId };

export type IdentitiesStore = ReturnType<typeof createIdentitiesStore>;

const identityId = ({ id }: Provider, subject: string) => `${id} ${subject}`;

/** The only place that knows the `identities` collection. */
export function createIdentitiesStore(db: Db) {
  const identities = db.collection<IdentityDocument>('identities');
  const ofUser = ({ id, account_id }: User) => ({ account_id, user_id: id });

  return {
    prepare: () => prepareCollection(identities, [{ key: { account_id: 1, user_id: 1 } }, { key: { account_id: 1, provider_id: 1 } }], db),

    find: (tx: Transaction, provider: Provider, subject: string) =>
      identities.findOne({ _id: identityId(provider, subject), account_id: provider.account_id }, { session: tx.session }),

    has: async (tx: Transaction, user: User): Promise<boolean> =>
      (await identities.findOne(ofUser(user), { session: tx.session, projection: { _id: 1 } })) !== null,

    async link(tx: Transaction, provider: Provider, subject: string, user: User, now: Date) {
      const link = { _id: identityId(provider, subject), ...ofUser(user), provider_id: provider.id, created_at: now };
      await identities.insertOne(link, { session: tx.session });
    },

    /** Removes all links of a user. Returns how many there were. */
    unlink: async (tx: Transaction, user: User): Promise<number> =>
      (await identities.deleteMany(ofUser(user), { session: tx.session })).deletedCount,

    async forgetProvider(tx: Transaction, { id, account_id }: Provider) {
      await identities.deleteMany({ account_id, provider_id: id }, { session: tx.session });
    },
  };
}
