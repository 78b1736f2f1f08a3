import { Timezone } from '@mp/contracts/moment';
import { Plan } from '@mp/contracts/plan';
import { type AccountId, newId } from '@mp/ids';
import { z } from 'zod';
import type { DecidingAccount } from '../../credentials/credential.ts';
import { limitsOf } from '../../quotas/plans.ts';
import { type HeldRole, privilegesOfRole } from '../roles/role.ts';

export const AccountStatus = z.enum(['active', 'suspended']);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** At least the minute between two reports of use, with a margin; at most the lifetime of a session. */
export const SessionIdleMinutes = z
  .number()
  .int()
  .min(5)
  .max(10_080)
  .describe(
    'A dashboard session ends after so many minutes without use. Default: 1440, which is a day. See also `session_lifetime_hours`.',
  );

/** At most a week, which is how long a session is stored. */
export const SessionLifetimeHours = z
  .number()
  .int()
  .min(1)
  .max(168)
  .describe('A dashboard session ends after so many hours, however much it is used. Default: 168, which is 7 days.');

export const SecondFactorPolicy = z
  .enum(['optional', 'required_for_admins', 'required'])
  .describe(
    'Whether users must have a second factor, an authenticator app or a passkey, to use the dashboard. `required_for_admins` includes the owner. ' +
      'A user without one can only add one. API keys are not affected. Default: `optional`.',
  );
export type SecondFactorPolicy = z.infer<typeof SecondFactorPolicy>;

/** At least a month, so that a request for it is seen before its traces are gone. */
export const AuditRetentionDays = z
  .number()
  .int()
  .min(30)
  .max(3_650)
  .nullable()
  .describe('Entries of the audit log are deleted after so many days; null, the default, keeps them as long as the account.');

/** Whether the users of an account must sign in with its identity providers. */
export const SingleSignOn = z
  .enum(['optional', 'required'])
  .describe('`required`: users sign in with an identity provider only. The owner can still use a password or a link. Default: `optional`.');
export type SingleSignOn = z.infer<typeof SingleSignOn>;

/** Whom the providers of the whole installation sign in. */
const InstallationProvidersRule = z
  .enum(['off', 'existing_users', 'just_in_time'])
  .describe(
    'Whether users can sign in with the identity providers that the operator offers to every account. `existing_users`: users who are ' +
      'invited, or whose verified email address is in a verified domain. `just_in_time`: such an address also becomes a user, with the role ' +
      'viewer, at the first sign-in. Default: `existing_users`.',
  );
type InstallationProvidersRule = z.infer<typeof InstallationProvidersRule>;

/** The settings of an account that has never changed them, or that was created before they existed. */
export const defaultSettings = {
  session_idle_minutes: 24 * 60,
  session_lifetime_hours: 7 * 24,
  second_factor: 'optional',
  audit_retention_days: null,
  single_sign_on: 'optional',
  installation_providers: 'existing_users',
} as const;

/** A customer of the platform. Everything belongs to exactly one account. */
export const Account = z
  .object({
    id: z.string().describe('The ID of the account.'),
    name: z.string().describe('The display name of the account.'),
    timezone: Timezone.describe('The time zone in which the dashboard shows and reads times. Default: UTC.'),
    revision: z.number().int().describe('Increases with every change; also sent as the `ETag`.'),
    plan: Plan,
    status: AccountStatus,
    daily_requests: z.number().int().nullable().describe('Requests per UTC day. Null: unlimited.'),
    requests_per_second: z.number().int().describe('Sustained requests per second.'),
    session_idle_minutes: SessionIdleMinutes,
    session_lifetime_hours: SessionLifetimeHours,
    second_factor: SecondFactorPolicy,
    audit_retention_days: AuditRetentionDays,
    single_sign_on: SingleSignOn,
    installation_providers: InstallationProvidersRule,
    created_at: z.iso.datetime().describe('When the account was created.'),
    updated_at: z.iso.datetime().describe('When the account was last changed.'),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/**
 * `name` identifies the account in commands; `display_name` is set by its users. `daily_requests` and `requests_per_second`
 * are custom limits, for Enterprise only; the limits of the other plans are in plans.ts.
 */
export type AccountRow = {
  id: AccountId;
  name: string;
  display_name: string | null;
  timezone: string;
  revision: number;
  plan: Plan;
  status: AccountStatus;
  /** When the status was last set; null if never since creation, or if set by an earlier release. */
  status_set_at: Date | null;
  daily_requests: number | null;
  requests_per_second: number | null;
  session_idle_minutes: number;
  session_lifetime_hours: number;
  second_factor: SecondFactorPolicy;
  audit_retention_days: number | null;
  single_sign_on: SingleSignOn;
  installation_providers: InstallationProvidersRule;
  created_at: Date;
  updated_at: Date;
};

/** Whether this user of the account can sign in with an identity provider only. The owner cannot be locked out by a lost provider. */
export const mustUseSingleSignOn = (account: Pick<AccountRow, 'single_sign_on'> | undefined, { role }: { role: string }) =>
  account?.single_sign_on === 'required' && role !== 'owner';

/** Whether the account requires a second factor of users with this role. */
export const requiresSecondFactor = ({ second_factor }: Pick<AccountRow, 'second_factor'>, user: HeldRole) =>
  second_factor === 'required' || (second_factor === 'required_for_admins' && privilegesOfRole(user).permission === 'admin');

export const decidingAccount = (account: Pick<AccountRow, 'id' | 'status'> & Parameters<typeof limitsOf>[0]): DecidingAccount => ({
  id: account.id,
  plan: account.plan,
  status: account.status,
  limits: limitsOf(account),
});

/** The account that `npm start` uses. Its limits are high enough that no first script is rejected. */
export const localAccount = { name: 'local', plan: 'enterprise', requests_per_second: 5_000 } as const;

type NewAccount = { name: string; plan: Plan; daily_requests?: number | null; requests_per_second?: number | null };

export const newAccount = (fields: NewAccount, now = new Date()): AccountRow => ({
  id: newId('account'),
  name: fields.name,
  display_name: null,
  timezone: 'UTC',
  revision: 1,
  plan: fields.plan,
  status: 'active',
  status_set_at: null,
  daily_requests: fields.daily_requests ?? null,
  requests_per_second: fields.requests_per_second ?? null,
  ...defaultSettings,
  created_at: now,
  updated_at: now,
});

export function accountView(account: AccountRow): Account {
  const limits = limitsOf(account);
  return {
    id: account.id,
    name: account.display_name ?? account.name,
    timezone: account.timezone,
    revision: account.revision,
    plan: account.plan,
    status: account.status,
    daily_requests: limits.daily,
    requests_per_second: limits.perSecond,
    session_idle_minutes: account.session_idle_minutes,
    session_lifetime_hours: account.session_lifetime_hours,
    second_factor: account.second_factor,
    audit_retention_days: account.audit_retention_days,
    single_sign_on: account.single_sign_on,
    installation_providers: account.installation_providers,
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
  };
}
