import { ApiError, invalid } from '@mp/contracts/errors';
import { Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { requireActive } from '../accounts/require-active.ts';
import { requireRecentProof } from '../users/require-recent-proof.ts';
import { type SignedInDeps, signedIn } from '../users/signed-in.ts';
import { checkAuthorizationRequest, decodeRequest, EncodedRequest, encodeRequest } from './authorization-request.ts';
import type { CodesStore } from './codes-store.ts';
import { tooManyGrants } from './grant.ts';
import type { GrantsStore } from './grants-store.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';
import { withParameters } from './redirect-uri.ts';

type Deps = SignedInDeps & {
  accounts: AccountsStore;
  oauthClients: OauthClientsStore;
  codes: CodesStore;
  grants: GrantsStore;
  mongo: Mongo;
};

const Query = z.strictObject({ request: EncodedRequest });
/** `scopes`: those that the page has shown. The application may be changed while the user reads. */
const Decision = Query.extend({ allow: z.boolean(), scopes: z.array(Scope).max(50) });

/** Where applications send the browsers of users (RFC 6749 §3.1); the page of the dashboard answers. */
export function startAuthorization(app: Server) {
  app.get('/oauth/authorize', { schema: { hide: true } }, (request, reply) => {
    const { search } = new URL(request.url, 'http://localhost');
    return reply.redirect(`/authorize?request=${encodeRequest(search.slice(1))}`);
  });
}

/** The consent page of the dashboard: what an application wants, and the user's decision. */
export function authorize(app: Server, deps: Deps) {
  const { accounts, users, codes, grants, mongo, publicUrl } = deps;
  /** Where the browser goes next, with who answers (RFC 9207), so that an application of several servers cannot mix them up. */
  const back = (redirectUri: string, state: string | undefined, parameters: Record<string, string>) =>
    withParameters(redirectUri, { ...parameters, state, iss: publicUrl });

  app.get('/auth/authorization', { schema: { hide: true, querystring: Query } }, async (request) => {
    const { user } = await signedIn(request, deps);
    const wanted = decodeRequest(request.query.request);
    const { client, redirectUri, scopes, missing, error } = await checkAuthorizationRequest(wanted, user, deps);
    const [developer, account] = [await accounts.find(client.account_id), await accounts.find(user.account_id)];
    const redirect_to = error && back(redirectUri, wanted.state, error);
    const application = { name: client.name, developer: developer?.name, own: client.account_id === user.account_id };
    return { success: true, data: { application, account: account?.name, redirect_uri: redirectUri, scopes, missing, redirect_to } };
  });

  app.post('/auth/authorization', { schema: { hide: true, body: Decision } }, async (request) => {
    const mine = await signedIn(request, deps);
    const { allow, scopes: shown } = request.body;
    const wanted = decodeRequest(request.body.request);
    const now = new Date();
    const { client, redirectUri, scopes: possible, codeChallenge, error } = await checkAuthorizationRequest(wanted, mine.user, deps);
    const scopes = possible.filter((scope) => shown.includes(scope));
    const redirectWith = (parameters: Record<string, string>) => ({
      success: true,
      data: { redirect_to: back(redirectUri, wanted.state, parameters) },
    });
    if (error) return redirectWith(error);
    if (!allow) return redirectWith({ error: 'access_denied', error_description: 'The user did not allow it.' });
    if (scopes.length === 0) throw invalid('/scopes', 'nothing_to_grant', 'Send the scopes that the user has seen.');
    // Like a new key, it gives access that lasts longer than the session.
    requireRecentProof(mine, now);
    const code = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const { account_id, id: user_id } = mine.user;
      await requireActive(accounts, account_id, tx);
      if (!(await users.find(account_id, user_id, tx))) throw new ApiError('UNAUTHORIZED', 'Sign in first.');
      if (await grants.isFull({ account_id, user_id }, tx)) throw new ApiError('PLAN_LIMIT_EXCEEDED', tooManyGrants);
      const consent = { account_id, user_id, client_id: client.id, redirect_uri: redirectUri, code_challenge: codeChallenge, scopes };
      const { by, second_factor = null } = mine.session;
      return codes.insert(tx, { ...consent, by, second_factor }, now);
    });
    return redirectWith({ code });
  });
}
