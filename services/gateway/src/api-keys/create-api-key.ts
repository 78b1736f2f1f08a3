import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { Permission, Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { isAddressRange } from '../env.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';
import { newApiKey } from './new-api-key.ts';

export const KeyName = z.string().trim().normalize('NFC').min(1).max(100);

const CreateApiKeyBody = z
  .object({
    name: KeyName.describe('What it is for; shown in the list.'),
    permission: Permission,
    scopes: z.array(Scope).min(1).max(50).nullable().optional().describe('Narrow the permission; null or left out: they do not.'),
    expires_at: z.iso.datetime().nullable().optional().describe('When it ends by itself.'),
    ip_allow: z
      .array(z.string().refine(isAddressRange, 'expected an address or a CIDR range'))
      .max(100)
      .optional()
      .describe('Addresses and CIDR ranges it may be used from; empty or left out: from anywhere.'),
  })
  .strict();

const CreatedApiKey = ApiKey.extend({ key: z.string().describe('The key itself. It is shown this once and not stored.') }).meta({
  id: 'CreatedApiKey',
});

type Parts = { apiKeys: ApiKeysStore; auditLog: AuditLogStore; transact: Transact };

export function createApiKey(app: Server, { apiKeys, auditLog, transact }: Parts) {
  app.post(
    '/v2/settings/api-keys',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'createApiKey',
        summary: 'Generate a new API key',
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
          const expires_at = body.expires_at ? new Date(body.expires_at) : null;
          if (expires_at && expires_at <= now) throw invalid('/expires_at', 'invalid_value', 'expires_at lies in the future.');
          const { text, key } = newApiKey(principal.accountId, { ...body, expires_at, created_by: principal.id }, now);
          await apiKeys.insert(tx, key);
          await auditLog.add(tx, {
            account_id: principal.accountId,
            actor_id: principal.id,
            action: 'api_key.created',
            target_id: key.id,
            details: { name: key.name, permission: key.permission },
          });
          return { status: 201, data: { ...apiKeyView(key), key: text }, location: `/v2/settings/api-keys/${key.id}` };
        },
        { secret: true },
      ),
  );
}
