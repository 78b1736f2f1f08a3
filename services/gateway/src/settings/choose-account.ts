import { invalid } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../credentials/failed-auth-limiter.ts';
import { cookieOptions, stepCookie } from '../credentials/session-cookie.ts';
import type { AccountsStore } from './accounts/accounts-store.ts';
import type { RolesStore } from './roles/roles-store.ts';
import type { SignInStepsStore } from './second-factors/sign-in-steps-store.ts';
import { SecondFactorDue } from './single-sign-on/admit-identity.ts';
import type { FinishLink } from './single-sign-on/finish-link.ts';
import { accountsToChoose } from './users/account-choice.ts';
import type { OpenSession, Outcome } from './users/open-session.ts';
import { signInIsOver } from './users/signed-in.ts';
import type { UsersStore } from './users/users-store.ts';

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  roles: RolesStore;
  signInSteps: SignInStepsStore;
  openSession: OpenSession;
  finishLink: FinishLink;
  failedSignIns: FailedAuthLimiter;
  mongo: Mongo;
  publicUrl: string;
};

const Body = z.strictObject({ account_id: z.string().max(60) });

type Choice = Awaited<ReturnType<SignInStepsStore['choices']>>[number];

/**
 * Continues in the chosen one of several accounts. Only those can be chosen for which the browser has proven the first factor, and the
 * rules of the chosen one hold as if the sign-in had named it.
 */
export function chooseAccount(app: Server, deps: Deps) {
  const { users, signInSteps, openSession, finishLink, failedSignIns, mongo, publicUrl } = deps;

  /** What this browser can choose from. Unknown tokens are counted as wrong links are. */
  async function choicesOf(request: FastifyRequest) {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const token = parseCookie(request.headers.cookie ?? '')[stepCookie(publicUrl)];
    const choices = token === undefined ? [] : await signInSteps.choices(token, new Date());
    if (token !== undefined && choices.length > 0) return { token, choices };
    if (token !== undefined) failedSignIns.count(address);
    throw signInIsOver();
  }

  async function open(tx: Transaction, request: FastifyRequest, { account_id, id, by, link }: Choice): Promise<Outcome> {
    const now = new Date();
    const user = await users.find(account_id, id, tx);
    if (!user) throw signInIsOver();
    if (!link) return openSession.afterFirstFactor(tx, request, { user, by, now });
    try {
      const linked = await finishLink(tx, link, user, now);
      return await openSession.open(tx, request, { user: linked, by, now, details: { provider_id: link.provider_id } });
    } catch (error) {
      // Nothing is written yet.
      if (error instanceof SecondFactorDue) return openSession.secondFactor(tx, { user, by, link }, now);
      throw error;
    }
  }

  // A browser that comes back from an identity provider asks what it can choose from.
  app.get('/auth/account-choice', { schema: { hide: true } }, async (request) => {
    const { choices } = await choicesOf(request);
    const found = await Promise.all(choices.map(({ account_id, id }) => users.find(account_id, id)));
    const accounts = await accountsToChoose(
      found.filter((user) => user !== undefined),
      deps,
    );
    return { success: true, data: { account_choice_due: { accounts } } };
  });

  app.post('/auth/account-choice', { schema: { hide: true, body: Body } }, async (request, reply) => {
    const { token, choices } = await choicesOf(request);
    const choice = choices.find(({ account_id }) => account_id === request.body.account_id);
    if (!choice) {
      failedSignIns.count(addressOf(request));
      throw invalid('/account_id', 'invalid_value', 'Choose one of the accounts that this sign-in offers.');
    }
    const outcome = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      if (!(await signInSteps.finishChoice(tx, token, choice.account_id))) throw signInIsOver();
      return open(tx, request, choice);
    });
    if (!('step' in outcome)) reply.clearCookie(stepCookie(publicUrl), cookieOptions(publicUrl));
    return openSession.reply(reply, outcome);
  });
}
