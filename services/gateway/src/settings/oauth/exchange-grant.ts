import { createHash } from 'node:crypto';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { FastifyRequest } from 'fastify';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isWellFormedSecret } from '../../credentials/token-format.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { Form } from './authenticate-client.ts';
import type { CodesStore } from './codes-store.ts';
import { type GrantRow, isAccepted, sharedScopes, tooManyGrants } from './grant.ts';
import type { GrantsStore } from './grants-store.ts';
import { issueToken } from './issue-token.ts';
import type { OauthClientRow } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import type { GrantType, OauthToken } from './oauth-shapes.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';
import { isRegistered } from './redirect-uri.ts';

export type ExchangeDeps = {
  accounts: AccountsStore;
  users: UsersStore;
  codes: CodesStore;
  grants: GrantsStore;
  oauthTokens: OauthTokensStore;
  auditLog: AuditLogStore;
  mongo: Mongo;
  forgetSecret: (hash: string) => void;
};

/** The access tokens that a grant can have at once. Bounded, so that one transaction can end them all, however often they are refreshed. */
const maxTokens = 10;

/** Tokens for the application; or the hashes of those that ended, because a code or refresh token was used twice. */
type Exchanged = OauthToken | { revoked: string[] } | undefined;

type UserGrantType = Exclude<GrantType, 'client_credentials'>;

/** Exchanges an authorization code or a refresh token for new tokens. */
export function createExchangeGrant({ accounts, users, codes, grants, oauthTokens, auditLog, mongo, forgetSecret }: ExchangeDeps) {
  /** The tokens of a grant. Undefined if its user is gone or its account is suspended. Throws invalid_grant if it is not accepted. */
  async function tokensOf(
    tx: Transaction,
    grant: GrantRow,
    client: OauthClientRow,
    refresh_token: string,
  ): Promise<OauthToken | undefined> {
    const user = await users.find(grant.account_id, grant.user_id, tx);
    const account = await accounts.find(grant.account_id, tx);
    if (!user || account?.status !== 'active') return undefined;
    if (!isAccepted(grant, account, user)) throw new OauthError('invalid_grant', connectAgain);
    const { id: grant_id, account_id, client_id, scopes } = grant;
    const displaced = await oauthTokens.revokeOfGrant(tx, grant, { keep: maxTokens - 1 });
    tx.afterCommit(() => displaced.forEach(forgetSecret));
    const { text, expires_in } = await issueToken(oauthTokens, { account_id, client_id, grant_id, scopes }, null, tx);
    const scope = sharedScopes(scopes, client, user).join(' ');
    return { access_token: text, token_type: 'Bearer', expires_in, scope, refresh_token };
  }

  /** Notes that a code or token came twice: one of the two who sent it has copied it. */
  async function noteReuse(tx: Transaction, { id, account_id }: Pick<GrantRow, 'id' | 'account_id'>, what: string) {
    const details = { reason: `${what} was used twice` };
    await auditLog.add(tx, { accountId: account_id, id: null }, { action: 'oauth_grant.revoked', target_id: id, details });
  }

  async function exchangeCode(tx: Transaction, form: Form, client: OauthClientRow): Promise<Exchanged> {
    const [code, verifier] = [required(form, 'code'), required(form, 'code_verifier')];
    const found = isWellFormedSecret('code', code) ? await codes.find(tx, client.id, code) : null;
    if (!found) return undefined;
    const { account_id, user_id, client_id, redirect_uri, scopes, by, second_factor, grant_id } = found;
    const now = new Date();
    const proves = createHash('sha256').update(verifier).digest('base64url') === found.code_challenge;
    if (!proves || (form.get('redirect_uri') ?? redirect_uri) !== redirect_uri || !isRegistered(redirect_uri, client.redirect_uris))
      return undefined;
    if (grant_id) {
      const revoked = await grants.revoke(tx, { id: grant_id, account_id });
      if (revoked) await noteReuse(tx, { id: grant_id, account_id }, 'its authorization code');
      return { revoked: revoked ?? [] };
    }
    if (found.expires_at <= now) return undefined;
    if (await grants.isFull(found, tx)) throw new OauthError('invalid_grant', tooManyGrants);
    const { grant, refreshToken } = await grants.insert(tx, { account_id, user_id, client_id, scopes, by, second_factor }, now);
    await codes.use(tx, found, grant.id);
    const details = { application: client.name, client_id, scopes };
    await auditLog.add(tx, { accountId: account_id, id: user_id }, { action: 'oauth_grant.created', target_id: grant.id, details });
    return tokensOf(tx, grant, client, refreshToken);
  }

  async function exchangeRefreshToken(tx: Transaction, form: Form, client: OauthClientRow): Promise<Exchanged> {
    const token = required(form, 'refresh_token');
    if (!isWellFormedSecret('refreshToken', token)) return undefined;
    const refreshed = await grants.refresh(tx, client.id, secretHash(token), new Date());
    if (!refreshed) return undefined;
    if ('refreshToken' in refreshed) return tokensOf(tx, refreshed.grant, client, refreshed.refreshToken);
    await noteReuse(tx, refreshed.grant, 'a refresh token');
    return { revoked: refreshed.revoked };
  }

  /** Throws invalid_grant if the code or token is unknown, expired, used, of another client, or not proven by its verifier. */
  return async (request: FastifyRequest, form: Form, client: OauthClientRow, grantType: UserGrantType): Promise<OauthToken> => {
    const exchange = grantType === 'authorization_code' ? exchangeCode : exchangeRefreshToken;
    const exchanged = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const result = await exchange(tx, form, client);
      // A grant without tokens must not stay.
      if (!result) throw invalidGrant();
      return result;
    });
    if ('access_token' in exchanged) return exchanged;
    for (const hash of exchanged.revoked) forgetSecret(hash);
    throw invalidGrant();
  };
}

const invalidGrant = () =>
  new OauthError('invalid_grant', 'The code or refresh token is unknown, expired or used, or belongs to another client.');

const connectAgain =
  'The account requires single sign-on or a second factor, and the user had signed in without. The user has to connect the application again.';

function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OauthError('invalid_request', `${name} is missing.`);
  return value;
}
