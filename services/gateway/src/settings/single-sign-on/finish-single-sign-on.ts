import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { OpenSession } from '../users/open-session.ts';
import { addressOf, setSessionCookie } from '../users/signed-in.ts';
import { type AdmitIdentity, NotAdmitted } from './admit-identity.ts';
import { type Discover, ProviderUnavailable } from './discover.ts';
import { type Identity, identityOf } from './identity.ts';
import { callbackPath, type IdentityProviderRow } from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';
import { browserOf } from './sign-in-cookie.ts';
import type { SingleSignOnStatesStore } from './single-sign-on-states-store.ts';

type Deps = {
  identityProviders: IdentityProvidersStore;
  singleSignOnStates: SingleSignOnStatesStore;
  failedSignIns: FailedAuthLimiter;
  discover: Discover;
  admit: AdmitIdentity;
  mongo: Mongo;
  openSession: OpenSession;
  publicUrl: string;
  now: () => number;
};

type Begun = NonNullable<Awaited<ReturnType<SingleSignOnStatesStore['use']>>>;

/** What the sign-in page explains. */
type Failure = 'expired' | 'refused' | 'unavailable' | NotAdmitted['reason'];

const maxSubjectLength = 255;

/** Ends signing in with an identity provider: its page returns here with a code, or with an error. */
export function finishSingleSignOn(app: Server, deps: Deps) {
  const { identityProviders, singleSignOnStates, failedSignIns, discover, admit, mongo, openSession, publicUrl, now } = deps;

  /** The identity in the ID token, which openid-client verifies, with `iss`, `state`, `nonce` and the code verifier. */
  async function identify(provider: IdentityProviderRow, { nonce, code_verifier }: Begun, url: URL, state: string): Promise<Identity> {
    const config = await discover.configuration(provider, (await identityProviders.secretOf(provider)) ?? '');
    const tokens = await authorizationCodeGrant(config, url, {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: code_verifier, idTokenExpected: true },
    });
    const claims = tokens.claims();
    if (!claims || claims.sub.length > maxSubjectLength) throw new Error('The ID token has no usable subject.');
    const more = config.serverMetadata().userinfo_endpoint ? await fetchUserInfo(config, tokens.access_token, claims.sub) : {};
    return identityOf(claims, more, provider);
  }

  async function finish(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply): Promise<string> {
    const url = new URL(publicUrl + callbackPath(request.params.id));
    url.search = new URL(request.url, publicUrl).search;
    const state = url.searchParams.get('state') ?? '';
    const browser = browserOf(request, publicUrl);
    const begun = browser && (await singleSignOnStates.use(state, browser, request.params.id, now()));
    if (!begun) throw new Refused('expired');
    const provider = await identityProviders.findEnabled(begun.provider_id);
    if (!provider) throw new Refused('unavailable');
    const identity = await identify(provider, begun, url, state).catch((error: unknown) => {
      for (let cause = error; cause instanceof Error; cause = cause.cause)
        if (cause instanceof ProviderUnavailable) throw new Refused('unavailable', { cause: error });
      throw new Refused('refused', { cause: error });
    });
    const opened = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      // It may have been disabled, or its rules changed, while the provider responded.
      const current = await identityProviders.findEnabled(provider.id, tx);
      if (!current) throw new Refused('unavailable');
      const arrived = new Date(now());
      const user = await admit(tx, { provider: current, identity, invitation: begun.invitation, now: arrived });
      return openSession.open(tx, request, { user, by: 'single_sign_on', now: arrived, details: { provider_id: provider.id } });
    });
    setSessionCookie(reply, publicUrl, opened);
    return begun.to;
  }

  app.get('/auth/single-sign-on/:id/callback', { schema: { hide: true, params: z.object({ id: z.string() }) } }, async (request, reply) => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    try {
      return reply.redirect(await finish(request, reply));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      failedSignIns.count(address);
      request.log.warn({ provider: request.params.id, failure, err: reasonOf(error) }, 'a single sign-on was refused');
      return reply.redirect(`/sign-in?failed=${failure}`);
    }
  });
}

class Refused extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof NotAdmitted) return error.reason;
  return error instanceof Refused ? error.failure : undefined;
}

/** The message only: the errors of openid-client carry responses, which have tokens. */
const reasonOf = (error: unknown) =>
  error instanceof Error ? `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ''}` : 'unknown';
