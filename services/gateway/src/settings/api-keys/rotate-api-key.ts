import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { ApiKeyId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { madeBy } from '../../credentials/made-by.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { type ApiKeyRow, apiKeyView, statusOf } from './api-key.ts';
import { RotateBody } from './api-key-body.ts';
import type { ApiKeysStore } from './api-keys-store.ts';
import { CreatedApiKey } from './create-api-key.ts';
import { newApiKey } from './new-api-key.ts';

type Deps = {
  apiKeys: ApiKeysStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
  forgetHolder: (id: ApiKeyId) => void;
};

export function rotateApiKey(app: Server, { apiKeys, administrators, auditLog, transact, forgetHolder }: Deps) {
  app.post(
    '/v2/settings/api-keys/:id/rotate',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'rotateApiKey',
        summary: 'Rotate an API key',
        description:
          'Returns a new key with the same name, permission, scopes, allowed addresses and expiry. The old key works until the grace period ends or it expires, whichever comes first.',
        params: z.object({ id: z.string() }),
        body: RotateBody,
        response: { 200: success(CreatedApiKey) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { principal, body } = request;
          const old = await apiKeys.find(principal.accountId, request.params.id, tx);
          if (!old) throw notFound();
          const now = new Date();
          refuseUnusable(old, now);
          await administrators.requirePrivileges(tx, principal, old);
          const { text, key } = newApiKey(principal.accountId, { ...old, ...madeBy(principal) }, now);
          await apiKeys.insert(tx, key);
          const replaced = retired(old, key.id, body.grace_seconds, now);
          await apiKeys.update(tx, replaced);
          if (replaced.revoked_at) await apiKeys.publishRevoked(tx, replaced, replaced.revoked_at);
          const details = { rotated_to: key.id, grace_seconds: body.grace_seconds };
          await auditLog.add(tx, principal, { action: 'api_key.rotated', target_id: old.id, details });
          tx.afterCommit(() => forgetHolder(old.id));
          return { status: 200, data: { ...apiKeyView(key, now), key: text }, location: `/v2/settings/api-keys/${key.id}` };
        },
        { secret: true },
      ),
  );
}

function refuseUnusable(key: ApiKeyRow, now: Date) {
  if (key.rotated_to !== null) throw new ApiError('INVALID_STATE', `This key was already rotated to ${key.rotated_to}.`);
  const status = statusOf(key, now);
  if (status === 'revoked' || status === 'expired') throw new ApiError('INVALID_STATE', `This key is ${status}; create a new one.`);
}

/** Without a grace period the old key is revoked; with one it expires when that ends, or earlier if it would have anyway. */
function retired(key: ApiKeyRow, rotated_to: ApiKeyId, graceSeconds: number, now: Date): ApiKeyRow {
  if (graceSeconds === 0) return { ...key, rotated_to, revoked_at: now };
  const graceEnds = new Date(now.getTime() + graceSeconds * 1_000);
  return { ...key, rotated_to, expires_at: key.expires_at && key.expires_at < graceEnds ? key.expires_at : graceEnds };
}
