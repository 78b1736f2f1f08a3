import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { ApiKeyId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Deps = {
  apiKeys: ApiKeysStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
  lastUsed: LastUsed;
  forgetHolder: (id: ApiKeyId) => void;
};

/** Revokes a key permanently. The row stays so that the list and the audit log can name it; there is no DELETE. */
export function revokeApiKey(app: Server, { apiKeys, administrators, auditLog, transact, lastUsed, forgetHolder }: Deps) {
  app.post(
    '/v2/settings/api-keys/:id/revoke',
    {
      config: { scope: 'settings:keys' },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description:
          'The key stops working immediately on this gateway and within ten seconds on every other one. A key or token cannot revoke the last Admin key (409); a signed-in user can.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(ApiKey) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const before = await apiKeys.find(principal.accountId, request.params.id, tx);
        if (!before) throw notFound();
        if (before.revoked_at) throw new ApiError('INVALID_STATE', 'This key is already revoked.');
        await administrators.keepAnAdminKey(tx, principal, before);
        const key = await apiKeys.revoke(tx, before);
        await auditLog.add(tx, principal, { action: 'api_key.revoked', target_id: key.id });
        tx.afterCommit(() => forgetHolder(key.id));
        return { status: 200, data: apiKeyView(lastUsed.of(key)) };
      }),
  );
}
