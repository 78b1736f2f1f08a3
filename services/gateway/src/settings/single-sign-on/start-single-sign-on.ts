import { ApiError } from '@mp/contracts/errors';
import { type AccountId, trustedId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { SignInLinksStore } from '../users/sign-in-links-store.ts';
import { addressOf } from '../users/signed-in.ts';
import { SignInEmail } from '../users/user.ts';
import { type Discover, ProviderUnavailable } from './discover.ts';
import type { DomainsStore } from './domains-store.ts';
import { domainOf } from './identity.ts';
import { callbackPath, type IdentityProviderRow } from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';
import { markBrowser } from './sign-in-cookie.ts';
import type { SingleSignOnStatesStore } from './single-sign-on-states-store.ts';

type Deps = {
  identityProviders: IdentityProvidersStore;
  domains: DomainsStore;
  singleSignOnStates: SingleSignOnStatesStore;
  signInLinks: SignInLinksStore;
  startedSignIns: FailedAuthLimiter;
  discover: Discover;
  publicUrl: string;
  now: () => number;
};

/** As long as a URL can be: it may hold the request of an application that the user connects. */
const maxReturnPath = 8_192;

/** A page of the dashboard; anything else, such as a link to another site, opens the overview. */
export const returnPath = (to: unknown): string =>
  typeof to === 'string' && to.length <= maxReturnPath && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) && !to.startsWith('/auth/') ? to : '/';

const Body = z.strictObject({
  to: z.string().max(maxReturnPath).optional(),
  email: SignInEmail.optional(),
  account_id: z.string().max(60).optional(),
  provider_id: z.string().max(60).optional(),
  token: z.string().min(1).max(200).optional(),
});

/**
 * Begins signing in with an identity provider, found by email address, account, invitation or its ID. Only from our own pages: a link
 * alone must not sign anybody in to an account that is not theirs, with a provider that asks nothing.
 */
export function startSingleSignOn(app: Server, deps: Deps) {
  const { identityProviders, domains, singleSignOnStates, signInLinks, startedSignIns, discover, publicUrl, now } = deps;

  /** A start reads and writes before anybody is known. */
  function limit(request: FastifyRequest) {
    const address = addressOf(request);
    refuseIfBlocked(address, startedSignIns);
    startedSignIns.count(address);
  }

  type Wanted = { to: string; email?: string | undefined; invitation?: string | undefined };

  /** The page of the provider. Throws ProviderUnavailable. */
  async function begin(request: FastifyRequest, reply: FastifyReply, provider: IdentityProviderRow, { to, email, invitation }: Wanted) {
    const secret = await identityProviders.secretOf(provider);
    if (secret === undefined) throw new ProviderUnavailable('the client secret can no longer be read; set it again');
    const config = await discover.configuration(provider, secret);
    const [state, nonce, code_verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const { account_id, id: provider_id } = provider;
    const begun = { account_id, provider_id, nonce, code_verifier, to, invitation };
    await singleSignOnStates.begin(state, markBrowser(request, reply, publicUrl), begun, now());
    return buildAuthorizationUrl(config, {
      redirect_uri: publicUrl + callbackPath(provider.id),
      scope: [...new Set(['openid', ...provider.scopes])].join(' '),
      ...{ state, nonce, code_challenge: await calculatePKCECodeChallenge(code_verifier), code_challenge_method: 'S256' },
      ...(email !== undefined && { login_hint: email }),
    }).href;
  }

  /** Depends on the domain of an email address only, so that it reveals nothing about who is a user. */
  async function accountsOf({ email, token, account_id }: z.output<typeof Body>): Promise<readonly AccountId[]> {
    if (token !== undefined) {
      const link = await signInLinks.find(token, new Date());
      return link ? [link.account_id] : [];
    }
    if (account_id !== undefined) return [trustedId<'account'>(account_id)];
    return email === undefined ? [] : domains.accountsOf(domainOf(email));
  }

  async function providersFor(body: z.output<typeof Body>): Promise<IdentityProviderRow[]> {
    const { provider_id, email } = body;
    if (provider_id !== undefined) return [await identityProviders.findEnabled(provider_id)].filter((found) => found !== undefined);
    const found = await identityProviders.enabledOf(await accountsOf(body));
    return email === undefined
      ? found
      : found.filter(({ email_domains }) => email_domains.length === 0 || email_domains.includes(domainOf(email)));
  }

  app.post('/auth/single-sign-on', { schema: { hide: true, body: Body } }, async (request, reply) => {
    limit(request);
    const { to, email, token } = request.body;
    const found = await providersFor(request.body);
    const [only, ...others] = found;
    if (!only)
      throw new ApiError('NOT_FOUND', 'There is no single sign-on for this address. Sign in in another way, or ask your administrator.');
    const providers = found.map(({ id, name }) => ({ id, name }));
    if (others.length > 0) return { success: true, data: { providers, url: null } };
    try {
      return {
        success: true,
        data: { providers, url: await begin(request, reply, only, { to: returnPath(to), email, invitation: token }) },
      };
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      request.log.warn({ provider: only.id, err: error }, 'an identity provider is unavailable');
      throw new ApiError('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached. Try again later.', { retryAfter: 10 });
    }
  });
}
