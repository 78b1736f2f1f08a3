import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transaction } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { refuseExcess } from '../administrators.ts';
import { RotateBody } from '../api-keys/api-key-body.ts';
import type { SettingsParts } from '../parts.ts';
import { rejectReadOnlyChanges } from '../reject-read-only-fields.ts';
import {
  CreatedOauthClient,
  clientPrivileges,
  newClientSecret,
  OauthClient,
  type OauthClientRow,
  oauthClientView,
  readOnlyFields,
  UpdateOauthClientBody,
  workingSecrets,
} from './oauth-client.ts';

const params = z.object({ id: z.string() });

/** The client. Throws NOT_FOUND if it does not exist and INVALID_STATE if it is revoked. */
async function find({ oauthClients }: SettingsParts, tx: Transaction, accountId: string, id: string): Promise<OauthClientRow> {
  const client = await oauthClients.find(accountId, id, tx);
  if (!client) throw notFound();
  if (client.revoked_at) throw new ApiError('INVALID_STATE', 'This client is revoked.');
  return client;
}

export function updateOauthClient(app: Server, parts: SettingsParts) {
  const { oauthClients, administrators, auditLog, transact, lastUsed, forgetHolder } = parts;
  app.put(
    '/v2/settings/oauth-clients/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'updateOauthClient',
        summary: 'Update an OAuth 2.0 client',
        description: 'Omitted fields keep their values. The new limits apply immediately to tokens already issued.',
        params,
        querystring: noQuery,
        body: UpdateOauthClientBody,
        response: { 200: success(OauthClient) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const before = await find(parts, tx, principal.accountId, request.params.id);
        rejectReadOnlyChanges(body, oauthClientView(before), readOnlyFields);
        const { name = before.name, permission = before.permission, ip_allow = before.ip_allow } = body;
        const scopes = body.scopes === undefined ? before.scopes : body.scopes && [...new Set(body.scopes)];
        const client = { ...before, name, permission, scopes, ip_allow };
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

const settingsOf = ({ name, permission, scopes, ip_allow }: OauthClientRow) => ({ name, permission, scopes, ip_allow });

export function rotateOauthClient(app: Server, parts: SettingsParts) {
  const { oauthClients, administrators, auditLog, transact } = parts;
  app.post(
    '/v2/settings/oauth-clients/:id/rotate',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'rotateOauthClient',
        summary: "Rotate an OAuth 2.0 client's secret",
        description:
          'The old secret works until the grace period ends. Issued tokens stay valid until they expire; to end them earlier, revoke them or the client.',
        params,
        querystring: noQuery,
        body: RotateBody,
        response: { 200: success(CreatedOauthClient) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { principal, body } = request;
          const before = await find(parts, tx, principal.accountId, request.params.id);
          const now = new Date();
          const maker = await administrators.privilegesOf(tx, principal);
          refuseExcess(maker, clientPrivileges(before, now));
          const [old, ...more] = workingSecrets(before, now);
          if (more.length > 0)
            throw new ApiError('INVALID_STATE', 'The secret was already rotated, and the grace period of the old one has not ended.');
          const { text, secret } = newClientSecret(now, maker.expires_at);
          const graceEnds = new Date(now.getTime() + body.grace_seconds * 1_000);
          const expires_at = old?.expires_at && old.expires_at < graceEnds ? old.expires_at : graceEnds;
          const client = { ...before, secrets: [...(old && body.grace_seconds > 0 ? [{ ...old, expires_at }] : []), secret] };
          await oauthClients.update(tx, client);
          const details = { grace_seconds: body.grace_seconds };
          await auditLog.add(tx, principal, { action: 'oauth_client.rotated', target_id: client.id, details });
          return { status: 200, data: { ...oauthClientView(client, now), client_secret: text } };
        },
        { secret: true },
      ),
  );
}

export function revokeOauthClient(app: Server, parts: SettingsParts) {
  const { oauthClients, auditLog, transact, lastUsed, forgetHolder } = parts;
  app.post(
    '/v2/settings/oauth-clients/:id/revoke',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'revokeOauthClient',
        summary: 'Revoke an OAuth 2.0 client and all its tokens',
        description: 'Client and tokens stop working immediately on this gateway and within ten seconds on every other one.',
        params,
        querystring: noQuery,
        body: z.strictObject({}),
        response: { 200: success(OauthClient) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const before = await find(parts, tx, principal.accountId, request.params.id);
        const client = { ...before, revoked_at: new Date() };
        await oauthClients.update(tx, client);
        await auditLog.add(tx, principal, { action: 'oauth_client.revoked', target_id: client.id });
        tx.afterCommit(() => forgetHolder(client.id));
        return { status: 200, data: oauthClientView(lastUsed.of(client)) };
      }),
  );
}
