import { invalid } from '@mp/contracts/errors';
import { Scope } from '@mp/contracts/permissions';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { UserRow } from '../users/user.ts';
import { scopesOfApplication, sharedScopes } from './grant.ts';
import type { OauthClientRow } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';
import { isRegistered } from './redirect-uri.ts';

const Parameter = z.string().max(2_000);

/** What an application sends a user's browser with (RFC 6749 §4.1.1, RFC 7636 §4.3). Other parameters are ignored. */
const AuthorizationRequest = z.object({
  client_id: Parameter.optional(),
  redirect_uri: Parameter.optional(),
  response_type: Parameter.optional(),
  scope: Parameter.optional(),
  state: Parameter.optional(),
  code_challenge: Parameter.optional(),
  code_challenge_method: Parameter.optional(),
});
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

/** The query of an authorization request as one word, because pages may read `state=1e5` as a number and send back another text. */
export const EncodedRequest = z.string().regex(/^[A-Za-z0-9_-]{1,12000}$/, 'expected the request that /oauth/authorize passes on');

export const encodeRequest = (query: string) => Buffer.from(query).toString('base64url');

/** Reads the parameters. Throws VALIDATION_ERROR if one is too long or given twice (RFC 6749 §3.1). */
export function decodeRequest(encoded: string): AuthorizationRequest {
  const parameters = new URLSearchParams(Buffer.from(encoded, 'base64url').toString());
  const names = Object.keys(AuthorizationRequest.shape);
  const twice = names.find((name) => parameters.getAll(name).length > 1);
  if (twice !== undefined) throw invalid(`/${twice}`, 'duplicate', `${twice} is given twice.`);
  const request = AuthorizationRequest.safeParse(Object.fromEntries(parameters));
  if (!request.success) throw invalid('/request', 'too_long', 'A parameter of the application is longer than 2,000 characters.');
  return request.data;
}

/** An error that the application is told by a redirect (RFC 6749 §4.1.2.1). */
export type AuthorizationError = {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied';
  error_description: string;
};

export type CheckedRequest = {
  client: OauthClientRow;
  redirectUri: string;
  /** What the user may give to the application, of what it wants. */
  scopes: Scope[];
  /** What the application wants and the user does not have. */
  missing: Scope[];
  codeChallenge: string;
  error: AuthorizationError | undefined;
};

type Stores = { accounts: Pick<AccountsStore, 'find'>; oauthClients: Pick<OauthClientsStore, 'findByClientId'> };

/**
 * Checks the request of an application for the consent of a user. Throws if the application or its redirect URI is unknown: then nobody
 * is redirected, because the address could be an attacker's.
 */
export async function checkAuthorizationRequest(
  request: AuthorizationRequest,
  user: UserRow,
  { accounts, oauthClients }: Stores,
): Promise<CheckedRequest> {
  const client = request.client_id === undefined ? undefined : await oauthClients.findByClientId(request.client_id);
  const developer = client && !client.revoked_at ? await accounts.find(client.account_id) : undefined;
  if (!client || developer?.status !== 'active') throw invalid('/client_id', 'unknown', 'No application has this client_id.');
  const redirectUri = request.redirect_uri ?? (client.redirect_uris.length === 1 ? client.redirect_uris[0] : undefined);
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirect_uris))
    throw invalid('/redirect_uri', 'not_registered', 'The application has not registered this redirect_uri.');
  const { wanted, error } = wantedScopes(request.scope, client);
  const scopes = sharedScopes(wanted, client, user);
  const codeChallenge = request.code_challenge ?? '';
  return {
    ...{ client, redirectUri, scopes, missing: wanted.filter((scope) => !scopes.includes(scope)), codeChallenge },
    error: errorOf(request, codeChallenge) ?? error ?? (scopes.length === 0 ? nothingToGrant : undefined),
  };
}

const nothingToGrant: AuthorizationError = {
  error: 'access_denied',
  error_description: 'The role of the user allows none of these scopes.',
};

function errorOf(request: AuthorizationRequest, codeChallenge: string): AuthorizationError | undefined {
  if (request.response_type !== 'code') {
    return { error: 'unsupported_response_type', error_description: 'The only supported response_type is code.' };
  }
  if (request.code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(codeChallenge)) {
    return { error: 'invalid_request', error_description: 'Send a code_challenge with code_challenge_method=S256 (PKCE).' };
  }
  return undefined;
}

function wantedScopes(text: string | undefined, client: OauthClientRow): { wanted: Scope[]; error?: AuthorizationError } {
  const may = scopesOfApplication(client);
  const names = [...new Set((text ?? '').split(' ').filter((name) => name !== ''))];
  if (names.length === 0) return { wanted: may };
  const wanted = z.array(Scope).safeParse(names);
  const beyond = wanted.success ? wanted.data.find((scope) => !may.includes(scope)) : undefined;
  if (wanted.success && beyond === undefined) return { wanted: wanted.data };
  const error_description = `Scopes that this application may request: ${may.join(', ')}.`;
  return { wanted: [], error: { error: 'invalid_scope', error_description } };
}
