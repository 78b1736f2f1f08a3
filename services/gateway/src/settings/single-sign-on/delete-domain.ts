import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { DomainsStore } from './domains-store.ts';

type Deps = { domains: DomainsStore; auditLog: AuditLogStore; transact: Transact };

export function deleteDomain(app: Server, { domains, auditLog, transact }: Deps) {
  app.delete(
    '/v2/settings/domains/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'deleteDomain',
        summary: 'Delete a domain of single sign-on',
        description: 'Users who are linked can still sign in; no further users of the domain are linked or created.',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const domain = await domains.get(principal.accountId, request.params.id, tx);
        await domains.delete(tx, domain);
        await auditLog.add(tx, principal, { action: 'domain.removed', target_id: domain.id, details: { domain: domain.domain } });
        return { status: 200, data: { id: domain.id, deleted: true as const } };
      }),
  );
}
