import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { SignInStepsStore } from '../second-factors/sign-in-steps-store.ts';
import type { OpenSession } from '../users/open-session.ts';
import { setSessionCookie, setStepCookie } from '../users/signed-in.ts';
import { AccountChoiceDue, type AdmitIdentity, NotAdmitted, SecondFactorDue } from './admit-identity.ts';
import { type Discover, ProviderUnavailable } from './discover.ts';
import { type Identity, identityOf } from './identity.ts';
import { callbackPath } from './identity-provider.ts';
import type { SignInProvider } from './installation-provider.ts';
import type { SignInProviders } from './sign-in-providers.ts';
import { browserOf } from './single-sign-on-cookie.ts';
import type { SingleSignOnStatesStore } from './single-sign-on-states-store.ts';

type Deps = {
  signInProviders: SignInProviders;
  signInSteps: SignInStepsStore;
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
  const { signInProviders, signInSteps, singleSignOnStates, failedSignIns, discover, admit, mongo, openSession, publicUrl, now } = deps;

  /** The identity in the ID token, which openid-client verifies, with `iss`, `state`, `nonce` and the code verifier. */
  async function identify(provider: SignInProvider, { nonce, code_verifier }: Begun, url: URL, state: string): Promise<Identity> {
    const config = await discover.configuration(provider, (await signInProviders.secretOf(provider)) ?? '');
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
    const provider = await signInProviders.findEnabled(begun.provider_id);
    if (!provider) throw new Refused('unavailable');
    const identity = await identify(provider, begun, url, state).catch((error: unknown) => {
      for (let cause = error; cause instanceof Error; cause = cause.cause)
        if (cause instanceof ProviderUnavailable) throw new Refused('unavailable', { cause: error });
      throw new Refused('refused', { cause: error });
    });
    const origin = { correlationId: request.id, causationId: null };
    const by = 'single_sign_on';
    try {
      const opened = await mongo.transaction(origin, async (tx) => {
        // The provider may have been disabled, or its rules changed, while it was asked for the identity.
        const current = await signInProviders.findEnabled(provider.id, tx);
        if (!current) throw new Refused('unavailable');
        const arrived = new Date(now());
        const { account_id: accountId, invitation } = begun;
        const user = await admit(tx, { provider: current, identity, accountId, invitation, now: arrived });
        return openSession.open(tx, request, { user, by, now: arrived, details: { provider_id: provider.id } });
      });
      setSessionCookie(reply, publicUrl, opened);
      return begun.to;
    } catch (error) {
      if (!(error instanceof SecondFactorDue || error instanceof AccountChoiceDue)) throw error;
      const link = { provider_id: provider.id, identity };
      const step = await mongo.transaction(origin, (tx) =>
        error instanceof SecondFactorDue
          ? signInSteps.begin(tx, { user: error.user, by, link }, new Date())
          : signInSteps.beginChoice(tx, error.users, { by, link }, new Date()),
      );
      setStepCookie(reply, publicUrl, step);
      return `/sign-in?${error instanceof SecondFactorDue ? 'confirm' : 'choose'}=true&to=${encodeURIComponent(begun.to)}`;
    }
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
      request.log.warn({ provider: request.params.id, failure, err: reasonOf(error) }, 'a sign-in by single sign-on was rejected');
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
