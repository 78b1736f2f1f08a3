import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOf } from '../users/user.ts';
import { checkProvider } from './check-provider.ts';
import type { Discover } from './discover.ts';
import {
  auditedSettings,
  CreateIdentityProviderBody,
  IdentityProvider,
  identityProviderView,
  maxProviders,
  newIdentityProvider,
} from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';

type Deps = {
  accounts: AccountsStore;
  identityProviders: IdentityProvidersStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  discover: Discover;
  publicUrl: string;
  transact: Transact;
};

export function createIdentityProvider(app: Server, deps: Deps) {
  const { accounts, identityProviders, administrators, auditLog, discover, publicUrl, transact } = deps;
  app.post(
    '/v2/settings/identity-providers',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'createIdentityProvider',
        summary: 'Create an identity provider',
        description:
          'Users sign in with it by OpenID Connect. Unless `enabled` is false, its settings are read at once, and the request fails with 400 ' +
          'if they cannot be. Because a provider determines who signs in, the caller needs all privileges of an admin, and a key or token ' +
          'that expires or has scopes cannot create one.',
        body: CreateIdentityProviderBody,
        response: { 201: success(IdentityProvider) },
      },
    },
    (request, reply) => {
      const { principal, body } = request;
      return transact(
        request,
        reply,
        async (tx, provider) => {
          await administrators.requirePrivileges(tx, principal, privilegesOf('admin'));
          await accounts.lock(tx, principal.accountId);
          if ((await identityProviders.count(tx, principal.accountId)) >= maxProviders)
            throw new ApiError(
              'PLAN_LIMIT_EXCEEDED',
              `An account can have at most ${maxProviders} identity providers; delete unused ones.`,
            );
          await identityProviders.insert(tx, provider, body.client_secret);
          const details = auditedSettings(provider);
          await auditLog.add(tx, principal, { action: 'identity_provider.created', target_id: provider.id, details });
          const location = `/v2/settings/identity-providers/${provider.id}`;
          return { status: 201, data: identityProviderView(provider, publicUrl), location };
        },
        {
          before: async () => {
            const provider = newIdentityProvider(principal.accountId, body, new Date());
            if (provider.enabled) await checkProvider(discover, provider);
            return provider;
          },
        },
      );
    },
  );
}
