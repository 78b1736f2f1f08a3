import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import { Timezone } from '@mp/contracts/moment';
import { Name } from '@mp/contracts/text';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { IdentityProvidersStore } from '../single-sign-on/identity-providers-store.ts';
import { Account, AuditRetentionDays, accountView, SessionIdleMinutes, SingleSignOn } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

const { name: _, timezone: __, session_idle_minutes: ___, audit_retention_days: ____, single_sign_on: _____, ...readOnly } = Account.shape;
const UpdateAccountBody = z
  .strictObject({
    ...readOnly,
    name: Name(100),
    timezone: Timezone.describe('An IANA time zone such as `Europe/Berlin`.'),
    session_idle_minutes: SessionIdleMinutes,
    audit_retention_days: AuditRetentionDays,
    single_sign_on: SingleSignOn,
  })
  .partial();

type Deps = { accounts: AccountsStore; identityProviders: IdentityProvidersStore; auditLog: AuditLogStore; transact: Transact };

export function updateAccount(app: Server, { accounts, identityProviders, auditLog, transact }: Deps) {
  async function requireProvider(accountId: AccountId) {
    if ((await identityProviders.enabledOf([accountId])).length === 0)
      throw new ApiError('INVALID_STATE', 'Single sign-on can be required once the account has an identity provider that is enabled.');
  }

  app.put(
    '/v2/settings/account',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change the account',
        description:
          'Changes the name, the time zone, how long sessions last without use, how long the audit log is kept, and whether single ' +
          'sign-on is required; the operator of the platform changes plan and status.',
        querystring: noQuery,
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
        const { audit_retention_days = view.audit_retention_days } = body;
        const wanted = {
          name: body.name ?? view.name,
          timezone: body.timezone ?? view.timezone,
          session_idle_minutes: body.session_idle_minutes ?? view.session_idle_minutes,
          audit_retention_days,
          single_sign_on: body.single_sign_on ?? view.single_sign_on,
        };
        const changed = changeableFields.filter((field) => wanted[field] !== view[field]);
        if (changed.length === 0) return { status: 200, data: view, etag: etagOf(before) };
        if (changed.includes('single_sign_on') && wanted.single_sign_on === 'required') await requireProvider(principal.accountId);
        const { name, ...others } = pick(wanted, changed);
        await accounts.update(tx, before.id, { ...others, ...(name !== undefined && { display_name: name }) });
        const after = await accounts.find(principal.accountId, tx);
        if (!after) throw notFound();
        const details = { before: pick(view, changed), after: pick(accountView(after), changed) };
        await auditLog.add(tx, principal, { action: 'account.changed', target_id: before.id, details });
        return { status: 200, data: accountView(after), etag: etagOf(after) };
      }),
  );
}

const changeableFields = ['name', 'timezone', 'session_idle_minutes', 'audit_retention_days', 'single_sign_on'] as const;
type Changeable = Pick<Account, (typeof changeableFields)[number]>;

const pick = (from: Changeable, fields: readonly (keyof Changeable)[]): Partial<Changeable> =>
  Object.fromEntries(fields.map((field) => [field, from[field]]));
