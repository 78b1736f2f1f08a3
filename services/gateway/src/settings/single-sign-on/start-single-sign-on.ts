import { ApiError } from '@mp/contracts/errors';
import { type AccountId, trustedId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { SignInLinksStore } from '../users/sign-in-links-store.ts';
import { SignInEmail } from '../users/user.ts';
import { type Discover, ProviderUnavailable } from './discover.ts';
import type { DomainsStore } from './domains-store.ts';
import { domainOf } from './identity.ts';
import { callbackPath } from './identity-provider.ts';
import type { SignInProvider } from './installation-provider.ts';
import type { SignInProviders } from './sign-in-providers.ts';
import { markBrowser } from './single-sign-on-cookie.ts';
import type { SingleSignOnStatesStore } from './single-sign-on-states-store.ts';

type Deps = {
  accounts: Pick<AccountsStore, 'find'>;
  signInProviders: SignInProviders;
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
  const { accounts, signInProviders, domains, singleSignOnStates, signInLinks, startedSignIns, discover, publicUrl, now } = deps;

  /** A start reads and writes before anybody is known. */
  function limit(request: FastifyRequest) {
    const address = addressOf(request);
    refuseIfBlocked(address, startedSignIns);
    startedSignIns.count(address);
  }

  type Wanted = { to: string; email?: string | undefined; invitation?: string | undefined; accountId: AccountId | undefined };

  /** The page of the provider. Throws ProviderUnavailable. */
  async function begin(request: FastifyRequest, reply: FastifyReply, provider: SignInProvider, wanted: Wanted) {
    const { to, email, invitation, accountId } = wanted;
    const secret = await signInProviders.secretOf(provider);
    if (secret === undefined) throw new ProviderUnavailable('the client secret can no longer be read; set it again');
    const config = await discover.configuration(provider, secret);
    const [state, nonce, code_verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const account_id = provider.account_id ?? accountId ?? null;
    const begun = { account_id, provider_id: provider.id, nonce, code_verifier, to, invitation };
    await singleSignOnStates.begin(state, markBrowser(request, reply, publicUrl), begun, now());
    return buildAuthorizationUrl(config, {
      redirect_uri: publicUrl + callbackPath(provider.id),
      scope: [...new Set(['openid', ...provider.scopes])].join(' '),
      ...{ state, nonce, code_challenge: await calculatePKCECodeChallenge(code_verifier), code_challenge_method: 'S256' },
      ...(email !== undefined && { login_hint: email }),
    }).href;
  }

  /** The account that the invitation or the request names. */
  async function accountNamed({ token, account_id }: z.output<typeof Body>): Promise<AccountId | undefined> {
    if (token !== undefined) return (await signInLinks.find(token, new Date()))?.account_id;
    return account_id === undefined ? undefined : trustedId<'account'>(account_id);
  }

  /** Depends on the domain of an email address only, so that it reveals nothing about who is a user. */
  async function providersOf(named: AccountId | undefined, { token, email }: z.output<typeof Body>): Promise<readonly SignInProvider[]> {
    if (named === undefined)
      return email === undefined || token !== undefined ? [] : signInProviders.enabledOf(await domains.accountsOf(domainOf(email)));
    const account = await accounts.find(named);
    const shared = account && account.installation_providers !== 'off' ? signInProviders.ofInstallation : [];
    return [...(await signInProviders.enabledOf([named])), ...shared];
  }

  async function providersFor(named: AccountId | undefined, body: z.output<typeof Body>): Promise<readonly SignInProvider[]> {
    const { provider_id, email } = body;
    if (provider_id !== undefined) return [await signInProviders.findEnabled(provider_id)].filter((found) => found !== undefined);
    const found = await providersOf(named, body);
    return email === undefined
      ? found
      : found.filter(({ email_domains }) => email_domains.length === 0 || email_domains.includes(domainOf(email)));
  }

  app.post('/auth/single-sign-on', { schema: { hide: true, body: Body } }, async (request, reply) => {
    limit(request);
    const { to, email, token } = request.body;
    const accountId = await accountNamed(request.body);
    const found = await providersFor(accountId, request.body);
    const [only, ...others] = found;
    if (!only)
      throw new ApiError('NOT_FOUND', 'There is no single sign-on for this address. Sign in in another way, or ask your administrator.');
    const providers = found.map(({ id, name }) => ({ id, name }));
    if (others.length > 0) return { success: true, data: { providers, url: null } };
    try {
      return {
        success: true,
        data: { providers, url: await begin(request, reply, only, { to: returnPath(to), email, invitation: token, accountId }) },
      };
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      request.log.warn({ provider: only.id, err: error }, 'an identity provider is unavailable');
      throw new ApiError('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached. Try again later.', { retryAfter: 10 });
    }
  });
}
