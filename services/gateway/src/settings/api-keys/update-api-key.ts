import { success } from '@mp/contracts/envelope';
import { ApiError, invalid, notFound } from '@mp/contracts/errors';
import type { ApiKeyId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import { reachesAll } from '../../credentials/privileges.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { ApiKey, type ApiKeyRow, apiKeyView, isAdminKey, statusOf } from './api-key.ts';
import { readOnlyFields, UpdateApiKeyBody } from './api-key-body.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Deps = {
  apiKeys: ApiKeysStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
  lastUsed: LastUsed;
  forgetHolder: (id: ApiKeyId) => void;
};

export function updateApiKey(app: Server, { apiKeys, administrators, auditLog, transact, lastUsed, forgetHolder }: Deps) {
  app.put(
    '/v2/settings/api-keys/:id',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'updateApiKey',
        summary: 'Update an API key',
        description:
          'Changes name, permission, scopes, allowed addresses and expiry; omitted fields keep their values. A key cannot grant more than it has, nor set an expiry later than its own.',
        params: z.object({ id: z.string() }),
        body: UpdateApiKeyBody,
        response: { 200: success(ApiKey) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const before = await apiKeys.find(principal.accountId, request.params.id, tx);
        if (!before) throw notFound();
        const now = new Date();
        rejectReadOnlyChanges(body, apiKeyView(before, now), readOnlyFields);
        const status = statusOf(before, now);
        if (status === 'revoked' || status === 'expired') throw new ApiError('INVALID_STATE', `This key is ${status}.`);
        const key = changed(before, body, now);
        await administrators.requirePrivileges(tx, principal, key, before);
        if (isLess(key, before)) await administrators.keepAnAdminKey(tx, principal, before);
        await apiKeys.update(tx, key);
        const details = { before: settingsOf(before), after: settingsOf(key) };
        await auditLog.add(tx, principal, { action: 'api_key.changed', target_id: key.id, details });
        tx.afterCommit(() => forgetHolder(key.id));
        return { status: 200, data: apiKeyView(lastUsed.of(key), now) };
      }),
  );
}

function changed(key: ApiKeyRow, body: z.output<typeof UpdateApiKeyBody>, now: Date): ApiKeyRow {
  const { name = key.name, permission = key.permission, scopes = key.scopes, ip_allow = key.ip_allow } = body;
  const wanted = body.expires_at === undefined ? key.expires_at : body.expires_at;
  const expires_at = wanted === null ? null : new Date(wanted);
  if (key.rotated_to !== null && expires_at?.getTime() !== key.expires_at?.getTime()) {
    throw new ApiError('INVALID_STATE', `This key was rotated to ${key.rotated_to}; its expiry cannot be changed.`);
  }
  if (expires_at && expires_at <= now)
    throw invalid('/expires_at', 'invalid_value', 'expires_at must be in the future; to end the key now, revoke it.');
  return { ...key, name, permission, scopes: scopes && [...new Set(scopes)], ip_allow, expires_at };
}

/** Whether the change reduces an Admin key: its rights, its lifetime or its allowed addresses. */
const isLess = (key: ApiKeyRow, before: ApiKeyRow) =>
  !isAdminKey(key) || endOf(key) < endOf(before) || !reachesAll(key.ip_allow, before.ip_allow);

const endOf = ({ expires_at }: ApiKeyRow) => expires_at?.getTime() ?? Number.POSITIVE_INFINITY;

const settingsOf = ({ name, permission, scopes, ip_allow, expires_at }: ApiKeyRow) => ({ name, permission, scopes, ip_allow, expires_at });
