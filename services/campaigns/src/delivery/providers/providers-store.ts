import { notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { seal, unseal } from '@mp/service-kit/seal';
import type { Db } from 'mongodb';
import { type NewProvider, newProviderId, type Provider, type ProviderKind } from './provider.ts';
import { signWebhook } from './webhook-token.ts';

type ProviderDocument = {
  _id: string;
  account_id: AccountId;
  name: string;
  kind: ProviderKind;
  topic_arn: string | null;
  public_key: string | null;
  /** The signing key, or the user name and password, sealed. */
  secret: string | null;
  created_at: Date;
};

/** What verifies the webhooks of a provider. */
export type ProviderKeys = Pick<ProviderDocument, 'kind' | 'topic_arn' | 'public_key'> & { secret: string | null };

const sealedFor = 'provider';

export type ProvidersStore = ReturnType<typeof createProvidersStore>;

/** The email providers of accounts. Every query names the account. */
export function createProvidersStore(db: Db, cursors: Cursors, { linkKeys, publicUrl }: { linkKeys: Keyring; publicUrl: string }) {
  const providers = db.collection<ProviderDocument>('providers');

  const providerOf = ({ _id, account_id, secret: _, created_at, ...fields }: ProviderDocument): Provider => ({
    id: _id,
    ...fields,
    webhook_url: `${publicUrl}/t/feedback/${signWebhook(linkKeys, account_id, _id)}`,
    created_at: created_at.toISOString(),
  });

  return {
    prepare: () => prepareCollection(providers, [{ key: { account_id: 1, _id: 1 } }], db),

    async insert(tx: Transaction, accountId: AccountId, { name, kind, topic_arn, public_key, basic_auth, signing_key }: NewProvider) {
      const _id = newProviderId();
      const secret = signing_key ?? (basic_auth && `${basic_auth.username}:${basic_auth.password}`);
      const document = {
        ...{ _id, account_id: accountId, name, kind, topic_arn: topic_arn ?? null, public_key: public_key ?? null },
        secret: secret === undefined ? null : seal(linkKeys, sealedFor, secret, _id),
        created_at: new Date(),
      };
      await providers.insertOne(document, { session: tx.session });
      return providerOf(document);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<Provider> {
      const document = await providers.findOne({ _id: id, account_id: accountId });
      if (!document) throw notFound();
      return providerOf(document);
    },

    /** What verifies its webhooks; undefined if the provider does not exist or its secret can no longer be read. */
    async keysOf(accountId: AccountId, id: string): Promise<ProviderKeys | undefined> {
      const document = await providers.findOne({ _id: id, account_id: accountId });
      if (!document) return undefined;
      const { kind, topic_arn, public_key, secret } = document;
      const opened = secret === null ? null : unseal(linkKeys, sealedFor, secret, id);
      return opened === undefined ? undefined : { kind, topic_arn, public_key, secret: opened };
    },

    /** Throws NOT_FOUND. */
    async remove(tx: Transaction, accountId: AccountId, id: string) {
      const { deletedCount } = await providers.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (deletedCount === 0) throw notFound();
    },

    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: providers,
        filter: { account_id: accountId },
        order: { field: '_id', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['providers', accountId],
      });
      return { items: items.map(providerOf), pagination };
    },
  };
}
