import { CredentialRevoked } from '@mp/contracts/events/platform';
import { type AccountId, type GrantId, newId, type OauthClientId, trustedId, type UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';
import { currentScopes, type StoredScopes, scopesVersion } from '../../credentials/stored-scopes.ts';
import { newSecret } from '../../credentials/token-format.ts';
import { type GrantRow, grantLifetimeMs, maxGrants } from './grant.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

/** `hashes`: of the refresh tokens, the newest last. All but the newest are used up. */
type GrantDocument = Omit<GrantRow, 'id' | keyof StoredScopes> & StoredScopes & { _id: string; hashes: string[] };

type Given = Pick<GrantRow, 'account_id' | 'user_id' | 'client_id' | 'scopes' | 'by' | 'second_factor'>;

/** How many used refresh tokens are recognized as such. */
const maxHashes = 100;

/** A client whose response was lost may send the same refresh token again for this long. */
const retryMs = 30_000;

export type GrantsStore = ReturnType<typeof createGrantsStore>;

/** Owns the `oauth_grants` collection. */
export function createGrantsStore(db: Db, outbox: Outbox, tokens: Pick<OauthTokensStore, 'revokeOfGrant'>) {
  const grants = db.collection<GrantDocument>('oauth_grants');

  async function revoke(tx: Transaction, { _id, account_id, hashes }: GrantDocument): Promise<string[]> {
    await grants.deleteOne({ _id, account_id }, { session: tx.session });
    // For the journal, so that a restored backup does not bring the grant back.
    await outbox.add(tx, CredentialRevoked, account_id, { key_id: _id, hash: hashes.at(-1) ?? '' });
    return tokens.revokeOfGrant(tx, { id: trustedId<'grant'>(_id), account_id });
  }

  return {
    prepare: () =>
      prepareCollection(
        grants,
        [
          { key: { expires_at: 1 }, expireAfterSeconds: 0 },
          { key: { account_id: 1, user_id: 1, _id: -1 } },
          { key: { hashes: 1 }, unique: true },
        ],
        db,
      ),

    find: async (accountId: AccountId, id: GrantId) => rowOf(await grants.findOne({ _id: id, account_id: accountId })),

    /** The grants of a user, or of the whole account; the newest first. */
    async list(accountId: AccountId, userId: UserId | undefined): Promise<GrantRow[]> {
      const filter = { account_id: accountId, ...(userId !== undefined && { user_id: userId }) };
      const found = await grants.find(filter).sort({ _id: -1 }).limit(500).toArray();
      return found.map(rowFrom);
    },

    /** Whether the user can connect no more applications. */
    isFull: async ({ account_id, user_id }: Pick<GrantRow, 'account_id' | 'user_id'>, tx: Transaction) =>
      (await grants.countDocuments({ account_id, user_id }, { session: tx.session })) >= maxGrants,

    /** Creates a grant with its first refresh token. */
    async insert(tx: Transaction, given: Given, now: Date): Promise<{ grant: GrantRow; refreshToken: string }> {
      const refreshToken = newSecret('refreshToken');
      const grant: GrantRow = {
        ...{ id: newId('grant'), ...given, scopes_version: scopesVersion },
        ...{ created_at: now, last_used_at: now, expires_at: new Date(now.getTime() + grantLifetimeMs) },
      };
      const { id, ...fields } = grant;
      await grants.insertOne({ _id: id, ...fields, hashes: [secretHash(refreshToken)] }, { session: tx.session });
      return { grant, refreshToken };
    },

    /**
     * Replaces a refresh token. Undefined if it is unknown or expired. A token that was used before has been copied, so that its grant
     * ends (RFC 9700 §4.14.2); `revoked` has the hashes of its access tokens.
     */
    async refresh(
      tx: Transaction,
      clientId: OauthClientId,
      hash: string,
      now: Date,
    ): Promise<{ grant: GrantRow; refreshToken: string } | { revoked: string[]; grant: GrantRow } | undefined> {
      const found = await grants.findOne({ hashes: hash, client_id: clientId }, { session: tx.session });
      if (!found || found.expires_at <= now) return undefined;
      const isRetry = found.hashes.at(-2) === hash && now.getTime() - found.last_used_at.getTime() < retryMs;
      if (found.hashes.at(-1) !== hash && !isRetry) return { revoked: await revoke(tx, found), grant: rowFrom(found) };
      const refreshToken = newSecret('refreshToken');
      const next = secretHash(refreshToken);
      // If the token of the lost response comes after all, somebody has copied the one before: it counts as used.
      const used = isRetry ? [...found.hashes.slice(0, -2), ...found.hashes.slice(-2).reverse()] : found.hashes;
      const hashes = [...used.slice(1 - maxHashes), next];
      // A retry begins the time for retries anew neither for itself nor for anybody who has copied the token.
      const last_used_at = isRetry ? found.last_used_at : now;
      const change = { hashes, last_used_at, expires_at: new Date(now.getTime() + grantLifetimeMs) };
      await grants.updateOne({ _id: found._id, account_id: found.account_id }, { $set: change }, { session: tx.session });
      return { grant: rowFrom({ ...found, ...change }), refreshToken };
    },

    /** Ends a grant with all its tokens. Returns the hashes of its access tokens, or undefined if there is none. */
    async revoke(tx: Transaction, which: { id: string; account_id: AccountId; user_id?: UserId }): Promise<string[] | undefined> {
      const { id, ...filter } = which;
      const found = await grants.findOne({ _id: id, ...filter }, { session: tx.session });
      return found ? revoke(tx, found) : undefined;
    },

    /** Ends the grant of a refresh token. Undefined if this client has no such token. */
    async revokeByToken(
      tx: Transaction,
      clientId: OauthClientId,
      hash: string,
    ): Promise<{ grant: GrantRow; revoked: string[] } | undefined> {
      const found = await grants.findOne({ hashes: hash, client_id: clientId }, { session: tx.session });
      return found ? { grant: rowFrom(found), revoked: await revoke(tx, found) } : undefined;
    },

    /** Ends all grants of a user. */
    async revokeOf(tx: Transaction, { id, account_id }: { id: UserId; account_id: AccountId }) {
      for (const grant of await grants.find({ account_id, user_id: id }, { session: tx.session }).toArray()) await revoke(tx, grant);
    },
  };
}

const rowFrom = ({ _id, hashes: _hashes, ...fields }: GrantDocument): GrantRow => {
  const { scopes, scopes_version } = currentScopes(fields);
  return { ...fields, id: trustedId<'grant'>(_id), scopes: scopes ?? [], scopes_version };
};

const rowOf = (document: GrantDocument | null): GrantRow | undefined => (document ? rowFrom(document) : undefined);
