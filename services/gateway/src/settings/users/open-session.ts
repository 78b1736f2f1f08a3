import { ApiError } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { Transaction } from '@mp/service-kit/mongo';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mustUseSingleSignOn } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { RolesStore } from '../roles/roles-store.ts';
import type { ProvenBy } from '../second-factors/factor.ts';
import type { FactorsStore } from '../second-factors/factors-store.ts';
import type { RecoveryCodesStore } from '../second-factors/recovery-codes-store.ts';
import type { SignInStepsStore } from '../second-factors/sign-in-steps-store.ts';
import type { PendingLink } from '../single-sign-on/finish-link.ts';
import { type AccountToChoose, accountsToChoose } from './account-choice.ts';
import { newSignInMail } from './account-mail-texts.ts';
import type { KnownBrowsersStore } from './known-browsers-store.ts';
import type { Mailer } from './mailer.ts';
import { provableBy } from './provable-by.ts';
import { mustEnroll } from './session-requirements.ts';
import type { FirstFactor, SessionsStore } from './sessions-store.ts';
import { type SignedIn, sessionView, setSessionCookie, setStepCookie } from './signed-in.ts';
import type { UserRow } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  roles: RolesStore;
  sessions: SessionsStore;
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  signInSteps: SignInStepsStore;
  auditLog: AuditLogStore;
  knownBrowsers: KnownBrowsersStore;
  mailer: Mailer;
  publicUrl: string;
};

/** `details` are added to the audit log. */
export type Proven = { user: UserRow; by: FirstFactor; now: Date; secondFactor?: ProvenBy; details?: Record<string, unknown> };

type Step = { token: string; expires_at: Date };

/** The second factors that a user can choose from. Nothing else is said about the user before one is proven. */
type SecondFactorDue = { step: Step; methods: ProvenBy[] };

/** The accounts that a person can choose from. The rules of the chosen one hold only then. */
type AccountChoiceDue = { step: Step; accounts: AccountToChoose[] };

export type Outcome = SignedIn | SecondFactorDue | AccountChoiceDue;

export type OpenSession = ReturnType<typeof createOpenSession>;

/** A page offers single sign-on instead. Only whoever has the password or the link learns this. */
const singleSignOnRequired = () =>
  new ApiError('FORBIDDEN', 'This account requires single sign-on. Continue with your identity provider.', {
    details: [{ code: 'single_sign_on_required' }],
  });

/** The end of every way to sign in. */
export function createOpenSession(deps: Deps) {
  const { accounts, users, sessions, signInSteps, auditLog, knownBrowsers, mailer, publicUrl } = deps;

  async function requireAllowed(tx: Transaction, { user, by }: Pick<Proven, 'user' | 'by'>) {
    const account = await accounts.find(user.account_id, tx);
    if (by !== 'single_sign_on' && mustUseSingleSignOn(account, user)) throw singleSignOnRequired();
    return account;
  }

  /** Opens a session with a new token, whatever the browser had before. An identity provider asks for second factors itself. */
  async function open(tx: Transaction, request: FastifyRequest, proven: Proven): Promise<SignedIn> {
    const { user, by, now, secondFactor, details } = proven;
    const account = await requireAllowed(tx, proven);
    const shown = { by, address: addressOf(request), user_agent: request.headers['user-agent'] ?? '' };
    const second_factor = secondFactor ?? null;
    const opened = await sessions.open(tx, user, { ...shown, second_factor }, now);
    const isKnown = await knownBrowsers.remember(tx, user, shown, now);
    const { email } = user;
    if (!isKnown && user.last_signed_in_at && email !== null)
      tx.afterCommit(() => void mailer?.send(newSignInMail(email, { at: now, ...shown })));
    await users.signedIn(tx, user, now);
    await auditLog.add(
      tx,
      { accountId: user.account_id, id: user.id },
      {
        action: 'user.signed_in',
        target_id: user.id,
        details: { by, second_factor, address: shown.address, ...details },
      },
    );
    return { ...opened, user, mustEnroll: account !== undefined && mustEnroll({ session: opened.session, user }, account) };
  }

  /** Begins the step that proves the second factor. */
  const secondFactor = async (tx: Transaction, begun: { user: UserRow; by: FirstFactor; link?: PendingLink }, now: Date) => ({
    step: await signInSteps.begin(tx, begun, now),
    methods: await provableBy(begun.user, deps, tx),
  });

  return {
    open,
    secondFactor,

    /** Begins the choice of a person who has proven the first factor for several users. */
    accountChoice: async (tx: Transaction, of: readonly UserRow[], { by, now }: Pick<Proven, 'by' | 'now'>): Promise<Outcome> => ({
      step: await signInSteps.beginChoice(tx, of, { by }, now),
      accounts: await accountsToChoose(of, deps, tx),
    }),

    /** Opens a session once the first factor is proven, unless the user has a second one: then that is due. */
    async afterFirstFactor(tx: Transaction, request: FastifyRequest, proven: Omit<Proven, 'secondFactor'>): Promise<Outcome> {
      const { user, by, now } = proven;
      await requireAllowed(tx, proven);
      if (!user.has_second_factor) return open(tx, request, proven);
      return secondFactor(tx, { user, by }, now);
    },

    reply(reply: FastifyReply, outcome: Outcome) {
      if ('step' in outcome) {
        setStepCookie(reply, publicUrl, outcome.step);
        if ('accounts' in outcome) return { success: true, data: { account_choice_due: { accounts: outcome.accounts } } };
        return { success: true, data: { second_factor_due: { methods: outcome.methods } } };
      }
      setSessionCookie(reply, publicUrl, outcome);
      return { success: true, data: sessionView(outcome) };
    },
  };
}
