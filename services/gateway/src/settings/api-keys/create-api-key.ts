import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { madeBy } from '../../credentials/made-by.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import { refuseExcess } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import { CreateApiKeyBody } from './api-key-body.ts';
import type { ApiKeysStore } from './api-keys-store.ts';
import { newApiKey } from './new-api-key.ts';

/** The maximum of active keys per account. */
const maxKeys = 500;

export const CreatedApiKey = ApiKey.extend({
  key: z.string().describe('The key itself. It is returned only once and is not stored.'),
}).meta({
  id: 'CreatedApiKey',
});

type Deps = { accounts: AccountsStore; apiKeys: ApiKeysStore; administrators: Administrators; auditLog: AuditLogStore; transact: Transact };

export function createApiKey(app: Server, { accounts, apiKeys, administrators, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/api-keys',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'createApiKey',
        summary: 'Generate a new API key',
        description:
          'The new key cannot exceed its creator in permission, scopes or allowed IP addresses. If the creating key or token expires, the new key expires no later, even without `expires_at`.',
        body: CreateApiKeyBody,
        response: { 201: success(CreatedApiKey) },
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
          const requested = typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at;
          if (requested && requested <= now) throw invalid('/expires_at', 'invalid_value', 'expires_at must be in the future.');
          const expires_at = requested === undefined ? maker.expires_at : requested;
          const { text, key } = newApiKey(principal.accountId, { ...body, expires_at, ...madeBy(principal) }, now);
          refuseExcess(maker, key);
          await accounts.lock(tx, principal.accountId);
          if ((await apiKeys.countWorking(tx, principal.accountId, now)) >= maxKeys) {
            throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxKeys} active API keys; revoke unused ones.`);
          }
          await apiKeys.insert(tx, key);
          const details = { name: key.name, permission: key.permission, scopes: key.scopes, ip_allow: key.ip_allow, expires_at };
          await auditLog.add(tx, principal, { action: 'api_key.created', target_id: key.id, details });
          return { status: 201, data: { ...apiKeyView(key, now), key: text }, location: `/v2/settings/api-keys/${key.id}` };
        },
        { secret: true },
      ),
  );
}
