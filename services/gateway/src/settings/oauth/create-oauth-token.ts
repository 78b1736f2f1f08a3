import { scopes as everyScope, Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import {
  type AuthenticateClientDeps,
  authenticateClient,
  countFailure,
  type Form,
  findPublicClient,
  formOf,
} from './authenticate-client.ts';
import { createExchangeGrant, type ExchangeDeps } from './exchange-grant.ts';
import { issueToken } from './issue-token.ts';
import { type OauthClientRow, scopesOf } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import { GrantType, type OauthToken } from './oauth-shapes.ts';

type Deps = AuthenticateClientDeps & ExchangeDeps;

/** Issues access tokens: to a client for its own account (RFC 6749 §4.4), and to an application for the account of a user (§4.1, §6). */
export function createOauthToken(app: Server, deps: Deps) {
  const exchangeGrant = createExchangeGrant(deps);

  app.post('/oauth/token', { schema: { hide: true } }, async (request): Promise<OauthToken> => {
    const form = formOf(request);
    const publicClient = form.get('grant_type') === 'client_credentials' ? undefined : await findPublicClient(request, form, deps);
    const publicGrantType = publicClient && grantTypeOf(form);
    if (publicGrantType && publicGrantType !== 'client_credentials')
      return exchangeGrant(request, form, publicClient, publicGrantType).catch((error: unknown) => {
        if (error instanceof OauthError && error.code === 'invalid_grant') countFailure(request, deps);
        throw error;
      });
    const { client, secret } = await authenticateClient(request, form, deps);
    const grantType = grantTypeOf(form);
    if (grantType !== 'client_credentials') return exchangeGrant(request, form, client, grantType);
    const requested = requestedScopes(form, client);
    const { id: client_id, account_id } = client;
    const issued = { account_id, client_id, scopes: requested, created_for: secret.created_for ?? null };
    const { text, expires_in } = await issueToken(deps.oauthTokens, issued, secret.expires_at);
    return { access_token: text, token_type: 'Bearer', expires_in, scope: (requested ?? scopesOf(client)).join(' ') };
  });
}

function grantTypeOf(form: Form): GrantType {
  const text = form.get('grant_type');
  if (text === undefined) throw new OauthError('invalid_request', 'grant_type is missing.');
  const grantType = GrantType.safeParse(text);
  if (!grantType.success)
    throw new OauthError('unsupported_grant_type', `The supported values of grant_type are ${GrantType.options.join(', ')}.`);
  return grantType.data;
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
