import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/**
 * Links an identity at a provider to a user. `_id` names the provider and the subject, and, if the provider is one of the whole
 * installation, the account: there, one identity can be a user in each of several accounts. `shared` is then `_id` without the account.
 */
type IdentityDocument = {
  _id: string;
  account_id: AccountId;
  user_id: UserId;
  provider_id: string;
  shared?: string;
  created_at: Date;
};

type User = { id: UserId; account_id: AccountId };
type OwnProvider = { id: string; account_id: AccountId };
/** With its issuer, because the operator can change that, and its subjects then are other people. */
type Provider = OwnProvider | { id: string; account_id: null; issuer: string };

export type IdentitiesStore = ReturnType<typeof createIdentitiesStore>;

const ownId = ({ id }: OwnProvider, subject: string) => `${id} ${subject}`;
const sharedId = ({ id, issuer }: { id: string; issuer: string }, subject: string) => `${id} ${issuer} ${subject}`;

/** Owns the `identities` collection. */
export function createIdentitiesStore(db: Db) {
  const identities = db.collection<IdentityDocument>('identities');
  const ofUser = ({ id, account_id }: User) => ({ account_id, user_id: id });

  return {
    prepare: () =>
      prepareCollection(
        identities,
        [
          { key: { account_id: 1, user_id: 1 } },
          { key: { account_id: 1, provider_id: 1 } },
          // Sign-in with a provider of the installation names no account.
          { key: { shared: 1 }, sparse: true },
        ],
        db,
      ),

    /** The users that the identity is linked to: at most one, or one of each account if the provider is one of the installation. */
    async find(tx: Transaction, provider: Provider, subject: string): Promise<User[]> {
      const filter =
        provider.account_id === null
          ? { shared: sharedId(provider, subject) }
          : { _id: ownId(provider, subject), account_id: provider.account_id };
      const found = await identities.find(filter, { session: tx.session }).limit(100).toArray();
      return found.map(({ user_id, account_id }) => ({ id: user_id, account_id }));
    },

    has: async (tx: Transaction, user: User): Promise<boolean> =>
      (await identities.findOne(ofUser(user), { session: tx.session, projection: { _id: 1 } })) !== null,

    async link(tx: Transaction, provider: Provider, subject: string, user: User, now: Date) {
      const shared = provider.account_id === null ? sharedId(provider, subject) : undefined;
      const _id = provider.account_id === null ? `${user.account_id} ${shared}` : ownId(provider, subject);
      const link = { _id, ...ofUser(user), provider_id: provider.id, ...(shared !== undefined && { shared }), created_at: now };
      await identities.insertOne(link, { session: tx.session });
    },

    /** Removes all links of a user. Returns how many there were. */
    unlink: async (tx: Transaction, user: User): Promise<number> =>
      (await identities.deleteMany(ofUser(user), { session: tx.session })).deletedCount,

    async forgetProvider(tx: Transaction, { id, account_id }: OwnProvider) {
      await identities.deleteMany({ account_id, provider_id: id }, { session: tx.session });
    },
  };
}
