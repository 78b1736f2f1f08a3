import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { auditedSettings } from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';

type Deps = { identityProviders: IdentityProvidersStore; identities: IdentitiesStore; auditLog: AuditLogStore; transact: Transact };

export function deleteIdentityProvider(app: Server, { identityProviders, identities, auditLog, transact }: Deps) {
  app.delete(
    '/v2/settings/identity-providers/:id',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'deleteIdentityProvider',
        summary: 'Delete an identity provider',
        description: 'Its users are no longer linked to it. They keep their open sessions, and their passwords if they have one.',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const provider = await identityProviders.get(principal.accountId, request.params.id, tx);
        await identityProviders.delete(tx, provider);
        await identities.forgetProvider(tx, provider);
        const details = auditedSettings(provider);
        await auditLog.add(tx, principal, { action: 'identity_provider.removed', target_id: provider.id, details });
        return { status: 200, data: { id: provider.id, deleted: true as const } };
      }),
  );
}
