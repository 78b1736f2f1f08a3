import { success } from '@mp/contracts/envelope';
import type { OauthClientId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { OauthClient, oauthClientView } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = {
  oauthClients: OauthClientsStore;
  auditLog: AuditLogStore;
  transact: Transact;
  lastUsed: LastUsed;
  forgetHolder: (id: OauthClientId) => void;
};

export function revokeOauthClient(app: Server, { oauthClients, auditLog, transact, lastUsed, forgetHolder }: Deps) {
  app.post(
    '/v2/settings/oauth-clients/:id/revoke',
    {
      config: { scope: 'settings:keys' },
      schema: {
        operationId: 'revokeOauthClient',
        summary: 'Revoke an OAuth 2.0 client and all its tokens',
        description: 'The client and its tokens stop working immediately on this gateway and within ten seconds on every other one.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(OauthClient) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const before = await oauthClients.getActive(tx, principal.accountId, request.params.id);
        const client = { ...before, revoked_at: new Date() };
        await oauthClients.update(tx, client);
        await auditLog.add(tx, principal, { action: 'oauth_client.revoked', target_id: client.id });
        tx.afterCommit(() => forgetHolder(client.id));
        return { status: 200, data: oauthClientView(lastUsed.of(client)) };
      }),
  );
}
