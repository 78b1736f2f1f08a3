import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { CreateDomainBody, domainView, maxDomains, newDomain, SignInDomain } from './domain.ts';
import type { DomainsStore } from './domains-store.ts';

type Deps = { accounts: AccountsStore; domains: DomainsStore; auditLog: AuditLogStore; transact: Transact };

export function createDomain(app: Server, { accounts, domains, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/domains',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'createDomain',
        summary: 'Add a domain of single sign-on',
        description:
          'Returns the DNS record that proves the domain. After `POST …/verify` has found it, single sign-on links users whose verified email ' +
          'address is in the domain, and creates users if an identity provider has `just_in_time`.',
        body: CreateDomainBody,
        response: { 201: success(SignInDomain) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        await accounts.lock(tx, principal.accountId);
        if ((await domains.count(tx, principal.accountId)) >= maxDomains)
          throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxDomains} domains; delete unused ones.`);
        const domain = newDomain(principal.accountId, body.domain);
        await domains.insert(tx, domain);
        await auditLog.add(tx, principal, { action: 'domain.added', target_id: domain.id, details: { domain: domain.domain } });
        return { status: 201, data: domainView(domain), location: `/v2/settings/domains/${domain.id}` };
      }),
  );
}
