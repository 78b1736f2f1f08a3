import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Parts = { apiKeys: ApiKeysStore; auditLog: AuditLogStore; transact: Transact; forget: (hash: string) => void };

/**
 * Ends a key for good. The row stays, so that the list and the audit log can still name it; there is no DELETE. The
 * last Admin key may go too: whoever runs the platform makes another one with `npm run key`.
 */
export function revokeApiKey(app: Server, { apiKeys, auditLog, transact, forget }: Parts) {
  app.post(
    '/v2/settings/api-keys/:id/revoke',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'It stops working at once on this gateway and within ten seconds on every other, also when messages are lost.',
        params: z.object({ id: z.string() }),
        body: z.object({}).strict(),
        response: { 200: success(ApiKey) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId, id: actor } = request.principal;
        const key = await apiKeys.revoke(tx, accountId, request.params.id);
        if (!key) {
          if (!(await apiKeys.find(accountId, request.params.id, tx))) throw notFound();
          throw new ApiError('INVALID_STATE', 'This key is revoked already.');
        }
        await auditLog.add(tx, { account_id: accountId, actor_id: actor, action: 'api_key.revoked', target_id: key.id });
        tx.afterCommit(() => forget(key.hash));
        return { status: 200, data: apiKeyView(key) };
      }),
  );
}
