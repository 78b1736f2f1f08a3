import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { domainView, recordOf, SignInDomain } from './domain.ts';
import type { DomainsStore } from './domains-store.ts';
import { type DnsResolver, findRecord } from './find-record.ts';

type Deps = { domains: DomainsStore; dns: DnsResolver; auditLog: AuditLogStore; transact: Transact };

export function verifyDomain(app: Server, { domains, dns, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/domains/:id/verify',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'verifyDomain',
        summary: 'Verify a domain of single sign-on',
        description:
          'Looks up the DNS record. A verified domain whose record is gone becomes `pending` again. While the DNS is unavailable, nothing changes.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(SignInDomain) },
      },
    },
    (request, reply) => {
      const { principal, params } = request;
      return transact(
        request,
        reply,
        async (tx, found) => {
          const before = await domains.get(principal.accountId, params.id, tx);
          if (found === undefined) return { status: 200, data: domainView(before) };
          const now = new Date();
          const after = { ...before, checked_at: now, verified_at: found ? (before.verified_at ?? now) : null };
          await domains.update(tx, after);
          const action = found ? 'domain.verified' : 'domain.unverified';
          if (found !== (before.verified_at !== null))
            await auditLog.add(tx, principal, { action, target_id: after.id, details: { domain: after.domain } });
          return { status: 200, data: domainView(after) };
        },
        { before: async () => findRecord(dns, recordOf(await domains.get(principal.accountId, params.id))) },
      );
    },
  );
}
