import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { userBehind } from '../../credentials/made-by.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import { refuseExcess } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import {
  CreatedOauthClient,
  CreateOauthClientBody,
  clientPrivileges,
  newClientSecret,
  newOauthClient,
  oauthClientView,
} from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

/** The maximum of active clients per account. */
const maxClients = 200;

type Deps = {
  accounts: AccountsStore;
  oauthClients: OauthClientsStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function createOauthClient(app: Server, { accounts, oauthClients, administrators, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/oauth-clients',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'createOauthClient',
        summary: 'Create an OAuth 2.0 client',
        description:
          'The client gets access tokens at `POST /oauth/token` with the client_credentials grant; each is valid for one hour. With `redirect_uris`, users of any account can also connect it to theirs (authorization code with PKCE). The client cannot exceed its creator in permission, scopes or allowed IP addresses. If the creating key or token expires, the secret expires with it.',
        body: CreateOauthClientBody,
        response: { 201: success(CreatedOauthClient) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { principal, body } = request;
          const now = new Date();
          const maker = await administrators.privilegesOf(tx, principal);
          const { text, secret } = newClientSecret(now, maker.expires_at, userBehind(principal));
          const client = newOauthClient(principal.accountId, { ...body, created_by: principal.id }, secret, now);
          refuseExcess(maker, clientPrivileges(client, now));
          await accounts.lock(tx, principal.accountId);
          if ((await oauthClients.countWorking(tx, principal.accountId)) >= maxClients) {
            throw new ApiError(
              'PLAN_LIMIT_EXCEEDED',
              `An account can have at most ${maxClients} active OAuth clients; revoke unused ones.`,
            );
          }
          await oauthClients.insert(tx, client);
          const { name, permission, scopes, ip_allow, redirect_uris, confidential } = client;
          await auditLog.add(tx, principal, {
            action: 'oauth_client.created',
            target_id: client.id,
            details: { name, permission, scopes, ip_allow, redirect_uris, confidential },
          });
          const data = { ...oauthClientView(client, now), client_secret: text };
          return { status: 201, data, location: `/v2/settings/oauth-clients/${client.id}` };
        },
        { secret: true },
      ),
  );
}
