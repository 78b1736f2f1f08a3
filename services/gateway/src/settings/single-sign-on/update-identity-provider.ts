import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOf } from '../users/user.ts';
import { checkProvider } from './check-provider.ts';
import type { Discover } from './discover.ts';
import {
  auditedSettings,
  changedProvider,
  IdentityProvider,
  identityProviderView,
  readOnlyFields,
  UpdateIdentityProviderBody,
} from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';

type Deps = {
  identityProviders: IdentityProvidersStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  discover: Discover;
  publicUrl: string;
  transact: Transact;
};

export function updateIdentityProvider(app: Server, deps: Deps) {
  const { identityProviders, administrators, auditLog, discover, publicUrl, transact } = deps;
  app.put(
    '/v2/settings/identity-providers/:id',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'updateIdentityProvider',
        summary: 'Update an identity provider',
        description:
          'Omitted fields keep their values, and so does the client secret. The issuer cannot be changed, because it identifies the linked ' +
          'users. A disabled provider signs nobody in; open sessions do not end.',
        params: z.object({ id: z.string() }),
        body: UpdateIdentityProviderBody,
        response: { 200: success(IdentityProvider) },
      },
    },
    (request, reply) => {
      const { principal, body } = request;
      return transact(
        request,
        reply,
        async (tx) => {
          await administrators.requirePrivileges(tx, principal, privilegesOf('admin'));
          const before = await identityProviders.get(principal.accountId, request.params.id, tx);
          rejectReadOnlyChanges(body, identityProviderView(before, publicUrl), readOnlyFields);
          const { client_secret } = body;
          const after = changedProvider(before, body, new Date());
          await identityProviders.update(tx, after, client_secret);
          const details = { before: auditedSettings(before), after: auditedSettings(after), secret_changed: client_secret !== undefined };
          await auditLog.add(tx, principal, { action: 'identity_provider.changed', target_id: after.id, details });
          return { status: 200, data: identityProviderView(after, publicUrl) };
        },
        {
          before: async () => {
            const provider = await identityProviders.get(principal.accountId, request.params.id);
            if (body.enabled === true && !provider.enabled) await checkProvider(discover, provider);
          },
        },
      );
    },
  );
}
