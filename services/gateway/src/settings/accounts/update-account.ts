import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Name } from '@mp/contracts/text';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { rejectReadOnlyChanges } from '../reject-read-only-fields.ts';
import { Account, accountView } from './account.ts';
import type { AccountsStore } from './accounts-store.ts';

const { name: _, ...readOnly } = Account.shape;
const UpdateAccountBody = z.strictObject({ ...readOnly, name: Name(100) }).partial();

type Deps = { accounts: AccountsStore; auditLog: AuditLogStore; transact: Transact };

export function updateAccount(app: Server, { accounts, auditLog, transact }: Deps) {
  app.put(
    '/v2/settings/account',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Rename the account',
        description: 'Only the name can be changed here; the operator of the platform changes plan and status.',
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
        if (body.name === undefined || body.name === view.name) return { status: 200, data: view, etag: etagOf(before) };
        await accounts.update(tx, before.id, { display_name: body.name });
        const details = { before: { name: view.name }, after: { name: body.name } };
        await auditLog.add(tx, principal, { action: 'account.changed', target_id: before.id, details });
        const after = await accounts.find(principal.accountId, tx);
        if (!after) throw notFound();
        return { status: 200, data: accountView(after), etag: etagOf(after) };
      }),
  );
}
