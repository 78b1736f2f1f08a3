import { success } from '@mp/contracts/envelope';
import type { OauthClientId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import {
  clientPrivileges,
  OauthClient,
  type OauthClientRow,
  oauthClientView,
  readOnlyFields,
  UpdateOauthClientBody,
} from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = {
  oauthClients: OauthClientsStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
  lastUsed: LastUsed;
  forgetHolder: (id: OauthClientId) => void;
};

export function updateOauthClient(app: Server, { oauthClients, administrators, auditLog, transact, lastUsed, forgetHolder }: Deps) {
  app.put(
    '/v2/settings/oauth-clients/:id',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'updateOauthClient',
        summary: 'Update an OAuth 2.0 client',
        description: 'Omitted fields keep their values. The new limits apply immediately to tokens already issued.',
        params: z.object({ id: z.string() }),
        body: UpdateOauthClientBody,
        response: { 200: success(OauthClient) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const before = await oauthClients.getActive(tx, principal.accountId, request.params.id);
        rejectReadOnlyChanges(body, oauthClientView(before), readOnlyFields);
        const { name = before.name, permission = before.permission, ip_allow = before.ip_allow } = body;
        const scopes = body.scopes === undefined ? before.scopes : body.scopes && [...new Set(body.scopes)];
        const { redirect_uris = before.redirect_uris, confidential = before.confidential } = body;
        const client = { ...before, name, permission, scopes, ip_allow, redirect_uris, confidential };
        const now = new Date();
        await administrators.requirePrivileges(tx, principal, clientPrivileges(client, now), clientPrivileges(before, now));
        await oauthClients.update(tx, client);
        const details = { before: settingsOf(before), after: settingsOf(client) };
        await auditLog.add(tx, principal, { action: 'oauth_client.changed', target_id: client.id, details });
        tx.afterCommit(() => forgetHolder(client.id));
        return { status: 200, data: oauthClientView(lastUsed.of(client)) };
      }),
  );
}

const settingsOf = ({ name, permission, scopes, ip_allow, redirect_uris, confidential }: OauthClientRow) => ({
  ...{ name, permission, scopes, ip_allow, redirect_uris, confidential },
});
