import { scopes as everyScope, Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { secretHash } from '../../credentials/secret-hash.ts';
import { scopesVersion } from '../../credentials/stored-scopes.ts';
import { newSecret } from '../../credentials/token-format.ts';
import { type AuthenticateClientDeps, authenticateClient, type Form, formOf } from './authenticate-client.ts';
import { type OauthClientRow, scopesOf } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import { grantType, type OauthToken } from './oauth-shapes.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

type Deps = AuthenticateClientDeps & { oauthTokens: OauthTokensStore };

const lifetimeSeconds = 3_600;

/** Issues an access token for the client_credentials grant (RFC 6749 §4.4). */
export function createOauthToken(app: Server, deps: Deps) {
  app.post('/oauth/token', { schema: { hide: true } }, async (request) => {
    const form = formOf(request);
    const { client, secret } = await authenticateClient(request, form, deps);
    const grant = form.get('grant_type');
    if (grant === undefined) throw new OauthError('invalid_request', 'grant_type is missing.');
    if (grant !== grantType) throw new OauthError('unsupported_grant_type', `The only supported grant_type is ${grantType}.`);
    const requested = requestedScopes(form, client);
    const token = newSecret('token');
    const now = Date.now();
    const expiresAt = Math.min(now + lifetimeSeconds * 1_000, secret.expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
    await deps.oauthTokens.insert({
      _id: secretHash(token),
      account_id: client.account_id,
      client_id: client.id,
      scopes: requested,
      scopes_version: scopesVersion,
      created_at: new Date(now),
      expires_at: new Date(expiresAt),
    });
    const scope = (requested ?? scopesOf(client)).join(' ');
    const expires_in = Math.max(1, Math.floor((expiresAt - now) / 1_000));
    return { access_token: token, token_type: 'Bearer', expires_in, scope } satisfies OauthToken;
  });
}

/** The requested scopes; null if none were requested: then the token has all scopes of its client. */
function requestedScopes(form: Form, client: OauthClientRow): Scope[] | null {
  const text = form.get('scope');
  if (text === undefined) return null;
  const requested = z.array(Scope).safeParse([...new Set(text.split(' ').filter((scope) => scope !== ''))]);
  if (!requested.success || requested.data.length === 0)
    throw new OauthError('invalid_scope', `Valid scopes are ${everyScope.join(', ')}.`);
  const may = scopesOf(client);
  const beyond = requested.data.find((scope) => !may.includes(scope));
  if (beyond !== undefined) throw new OauthError('invalid_scope', `This client may not request ${beyond}.`);
  return requested.data;
}
