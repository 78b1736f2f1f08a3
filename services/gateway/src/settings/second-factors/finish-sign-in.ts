import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import { cookieOptions, stepCookie } from '../../credentials/session-cookie.ts';
import type { FinishLink } from '../single-sign-on/finish-link.ts';
import type { OpenSession } from '../users/open-session.ts';
import { provableBy } from '../users/provable-by.ts';
import { signInIsOver } from '../users/signed-in.ts';
import type { UsersStore } from '../users/users-store.ts';
import { Proof } from './factor.ts';
import type { FactorsStore } from './factors-store.ts';
import type { Passkeys } from './passkeys.ts';
import type { ProveFactor } from './prove-factor.ts';
import type { RecoveryCodesStore } from './recovery-codes-store.ts';
import type { SignInStepsStore } from './sign-in-steps-store.ts';

type Deps = {
  users: UsersStore;
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  signInSteps: SignInStepsStore;
  passkeys: Passkeys;
  proveFactor: ProveFactor;
  openSession: OpenSession;
  finishLink: FinishLink;
  failedSignIns: FailedAuthLimiter;
  publicUrl: string;
};

/** Proves the second factor of a browser that has proven the first, and opens its session. An identity that waits for it is linked. */
export function finishSignIn(app: Server, deps: Deps) {
  const { users, factors, signInSteps, passkeys, proveFactor, openSession, finishLink, failedSignIns, publicUrl } = deps;

  /** The step of this browser, and its user as of now. Unknown tokens are counted as wrong links are. */
  async function stepOf(request: FastifyRequest) {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const token = parseCookie(request.headers.cookie ?? '')[stepCookie(publicUrl)];
    const step = token === undefined ? undefined : await signInSteps.find(token, new Date());
    const user = step && (await users.find(step.account_id, step.id));
    if (token !== undefined && step && user?.has_second_factor) return { token, by: step.by, link: step.link, user };
    if (token !== undefined) failedSignIns.count(address);
    throw signInIsOver();
  }

  // A browser that comes back from an identity provider asks what is due.
  app.get('/auth/second-factor', { schema: { hide: true } }, async (request) => {
    const { user } = await stepOf(request);
    return { success: true, data: { second_factor_due: { methods: await provableBy(user, deps) } } };
  });

  app.post('/auth/second-factor/options', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const { user } = await stepOf(request);
    return { success: true, data: { ...(await passkeys.proofOptions({ user, factors: await factors.list(user) }, new Date())) } };
  });

  app.post('/auth/second-factor', { schema: { hide: true, body: Proof } }, async (request, reply) => {
    const { token, by, link, user } = await stepOf(request);
    const opened = await proveFactor(request, user, request.body, async (tx, secondFactor, now) => {
      if (!(await signInSteps.finish(tx, token))) throw signInIsOver();
      if (!link) return openSession.open(tx, request, { user, by, now, secondFactor });
      const linked = await finishLink(tx, { ...link, confirmedBy: user.id }, user, now);
      return openSession.open(tx, request, { user: linked, by, now, secondFactor, details: { provider_id: link.provider_id } });
    });
    reply.clearCookie(stepCookie(publicUrl), cookieOptions(publicUrl));
    return openSession.reply(reply, opened);
  });
}
