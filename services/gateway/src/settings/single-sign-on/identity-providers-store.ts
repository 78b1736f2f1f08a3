import { notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { seal, unseal } from '@mp/service-kit/seal';
import type { Db } from 'mongodb';
import { newestFirst } from '../newest-first.ts';
import { type IdentityProviderRow, maxProviders } from './identity-provider.ts';

/** `secret` is the client secret, sealed. */
type IdentityProviderDocument = Omit<IdentityProviderRow, 'id'> & { _id: string; secret: string };

export type IdentityProvidersStore = ReturnType<typeof createIdentityProvidersStore>;

const sealedFor = 'client secret of an identity provider';

/** Owns the `identity_providers` collection. */
export function createIdentityProvidersStore(db: Db, keys: Keyring) {
  const providers = db.collection<IdentityProviderDocument>('identity_providers');

  /** Reseals the secrets whose key is no longer the signing key, so that it can later be removed from the keyring. */
  async function reseal() {
    for await (const { _id, account_id, secret } of providers.find({}, { projection: { account_id: 1, secret: 1 } })) {
      const text = secret.startsWith(`${keys.signing}.`) ? undefined : unseal(keys, sealedFor, secret, _id);
      if (text !== undefined)
        await providers.updateOne({ _id, account_id, secret }, { $set: { secret: seal(keys, sealedFor, text, _id) } });
    }
  }

  return {
    prepare: async () => {
      await prepareCollection(providers, [{ key: { account_id: 1, created_at: -1, _id: -1 } }], db);
      await reseal();
    },

    async insert(tx: Transaction, { id, ...fields }: IdentityProviderRow, secret: string) {
      await providers.insertOne({ _id: id, ...fields, secret: seal(keys, sealedFor, secret, id) }, { session: tx.session });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<IdentityProviderRow> {
      const document = await providers.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return rowFrom(document);
    },

    /** For signing in, where the account is not known yet. */
    async findEnabled(id: string, tx?: Transaction): Promise<IdentityProviderRow | undefined> {
      const document = await providers.findOne({ _id: id, enabled: true }, tx && { session: tx.session });
      return document ? rowFrom(document) : undefined;
    },

    /** The providers with which users of these accounts can sign in, the oldest first. */
    enabledOf: async (accountIds: readonly AccountId[]): Promise<IdentityProviderRow[]> =>
      (
        await providers
          .find({ account_id: { $in: [...accountIds] }, enabled: true })
          .sort({ created_at: 1 })
          .limit(maxProviders)
          .toArray()
      ).map(rowFrom),

    /** The client secret; undefined if the key that sealed it is no longer in the keyring. */
    async secretOf({ id, account_id }: Pick<IdentityProviderRow, 'id' | 'account_id'>): Promise<string | undefined> {
      const document = await providers.findOne({ _id: id, account_id }, { projection: { secret: 1 } });
      return document ? unseal(keys, sealedFor, document.secret, id) : undefined;
    },

    list: newestFirst(providers, rowFrom),

    count: (tx: Transaction, accountId: AccountId) => providers.countDocuments({ account_id: accountId }, { session: tx.session }),

    async update(tx: Transaction, { id, account_id, ...fields }: IdentityProviderRow, secret: string | undefined) {
      const sealed = secret !== undefined && { secret: seal(keys, sealedFor, secret, id) };
      await providers.updateOne({ _id: id, account_id }, { $set: { ...fields, ...sealed } }, { session: tx.session });
    },

    async delete(tx: Transaction, { id, account_id }: IdentityProviderRow) {
      await providers.deleteOne({ _id: id, account_id }, { session: tx.session });
    },
  };
}

const rowFrom = ({ _id, secret: _, ...fields }: IdentityProviderDocument): IdentityProviderRow => ({
  id: trustedId<'identityProvider'>(_id),
  ...fields,
});
