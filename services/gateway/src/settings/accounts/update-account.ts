import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Timezone } from '@mp/contracts/moment';
import { Name } from '@mp/contracts/text';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { Account, accountView } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

const { name: _, timezone: __, ...readOnly } = Account.shape;
const UpdateAccountBody = z
  .strictObject({ ...readOnly, name: Name(100), timezone: Timezone.describe('An IANA time zone such as `Europe/Berlin`.') })
  .partial();

type Deps = { accounts: AccountsStore; auditLog: AuditLogStore; transact: Transact };

export function updateAccount(app: Server, { accounts, auditLog, transact }: Deps) {
  app.put(
    '/v2/settings/account',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change the account',
        description: 'Only the name and the time zone can be changed here; the operator of the platform changes plan and status.',
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
        const { name = view.name, timezone = view.timezone } = body;
        const isRenamed = name !== view.name;
        const isMoved = timezone !== view.timezone;
        if (!isRenamed && !isMoved) return { status: 200, data: view, etag: etagOf(before) };
        await accounts.update(tx, before.id, { ...(isRenamed && { display_name: name }), ...(isMoved && { timezone }) });
        const after = await accounts.find(principal.accountId, tx);
        if (!after) throw notFound();
        const changed = ({ name, timezone }: Account) => ({ ...(isRenamed && { name }), ...(isMoved && { timezone }) });
        const details = { before: changed(view), after: changed(accountView(after)) };
        await auditLog.add(tx, principal, { action: 'account.changed', target_id: before.id, details });
        return { status: 200, data: accountView(after), etag: etagOf(after) };
      }),
  );
}
