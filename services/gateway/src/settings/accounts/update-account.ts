import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import { Timezone } from '@mp/contracts/moment';
import { Name } from '@mp/contracts/text';
import { type AccountId, isId } from '@mp/ids';
import type { Principal, Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { ReportEmailsStore } from '../report-emails/report-emails-store.ts';
import type { IdentityProvidersStore } from '../single-sign-on/identity-providers-store.ts';
import type { InstallationProvider } from '../single-sign-on/installation-provider.ts';
import type { UsersStore } from '../users/users-store.ts';
import { Account, accountView } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

const changeable = {
  ...({ name: true, timezone: true, session_idle_minutes: true, session_lifetime_hours: true } as const),
  ...({ installation_providers: true, second_factor: true, audit_retention_days: true, single_sign_on: true } as const),
};
const readOnly = Account.omit(changeable).shape;
const Changeable = Account.pick(changeable);
type Changeable = z.infer<typeof Changeable>;
const changeableFields = Changeable.keyof().options;

const UpdateAccountBody = z
  .strictObject({
    ...readOnly,
    ...Changeable.shape,
    name: Name(100),
    timezone: Timezone.describe('An IANA time zone such as `Europe/Berlin`.'),
  })
  .partial();

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  identityProviders: IdentityProvidersStore;
  installationProviders: readonly InstallationProvider[];
  reportEmails: Pick<ReportEmailsStore, 'reschedule'>;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function updateAccount(app: Server, deps: Deps) {
  const { accounts, users, identityProviders, installationProviders, reportEmails, auditLog, transact } = deps;
  /** The sign-in page offers the providers of the installation, if there are any and the account admits them. */
  async function requireProvider(accountId: AccountId, rule: Changeable['installation_providers'] | undefined) {
    if (installationProviders.length > 0 && rule !== 'off') return;
    if ((await identityProviders.enabledOf([accountId])).length === 0)
      throw new ApiError('INVALID_STATE', 'Single sign-on can be required once the account has an identity provider that is enabled.');
  }

  /** Whoever requires a second factor must have one, so that the account keeps a user who can withdraw that. A key acts for the owner. */
  async function requireOwnFactor(tx: Transaction, { accountId, id }: Principal) {
    const user = isId('user', id) ? await users.find(accountId, id, tx) : await users.findOwner(accountId, tx);
    if (user?.has_second_factor) return;
    const whose = isId('user', id) ? 'yourself' : 'as the owner of the account';
    throw new ApiError('INVALID_STATE', `Add a second factor ${whose} before it is required of others.`);
  }

  app.put(
    '/v2/settings/account',
    {
      config: { scope: 'settings:write', stepUp: true, ifMatch: true },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change the account',
        description:
          'Changes the name, the time zone, how long sessions last, how users sign in, whether a second factor is required and how long the ' +
          'audit log is kept; the operator of the platform changes plan and status. Who requires a second factor must have one, and single ' +
          'sign-on needs an identity provider that is enabled (409).',
        body: UpdateAccountBody,
        response: { 200: success(Account) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const before = await accounts.find(principal.accountId, tx);
        if (!before) throw notFound();
        requireMatch(request, before);
        const view = accountView(before);
        rejectReadOnlyChanges(body, view, Object.keys(readOnly));
        const wanted = { ...pick(view, changeableFields), ...pick(body, changeableFields) };
        const changed = changeableFields.filter((field) => wanted[field] !== view[field]);
        if (changed.length === 0) return { status: 200, data: view, etag: etagOf(before) };
        const changesSignIn = changed.includes('single_sign_on') || changed.includes('installation_providers');
        if (changesSignIn && wanted.single_sign_on === 'required')
          await requireProvider(principal.accountId, wanted.installation_providers);
        // What accounts of earlier releases do not store is derived from the other field, so both are stored together.
        const stored = changesSignIn ? new Set([...changed, 'single_sign_on' as const, 'installation_providers' as const]) : changed;
        const { name, ...others } = pick(wanted, [...stored]);
        if (others.second_factor !== undefined && others.second_factor !== 'optional') await requireOwnFactor(tx, principal);
        await accounts.update(tx, before.id, { ...others, ...(name !== undefined && { display_name: name }) });
        if (others.timezone !== undefined) await reportEmails.reschedule(tx, before.id, others.timezone, new Date());
        const after = await accounts.find(principal.accountId, tx);
        if (!after) throw notFound();
        const details = { before: pick(view, changed), after: pick(accountView(after), changed) };
        await auditLog.add(tx, principal, { action: 'account.changed', target_id: before.id, details });
        return { status: 200, data: accountView(after), etag: etagOf(after) };
      }),
  );
}

const pick = (
  from: { [Field in keyof Changeable]?: Changeable[Field] | undefined },
  fields: readonly (keyof Changeable)[],
): Partial<Changeable> => Object.fromEntries(fields.flatMap((field) => (from[field] === undefined ? [] : [[field, from[field]]])));
