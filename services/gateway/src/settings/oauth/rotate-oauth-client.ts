import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { userBehind } from '../../credentials/made-by.ts';
import type { Administrators } from '../administrators.ts';
import { refuseExcess } from '../administrators.ts';
import { RotateBody } from '../api-keys/api-key-body.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { CreatedOauthClient, clientPrivileges, newClientSecret, oauthClientView, workingSecrets } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = { oauthClients: OauthClientsStore; administrators: Administrators; auditLog: AuditLogStore; transact: Transact };

export function rotateOauthClient(app: Server, { oauthClients, administrators, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/oauth-clients/:id/rotate',
    {
      config: { scope: 'settings:keys', stepUp: true },
      schema: {
        operationId: 'rotateOauthClient',
        summary: "Rotate an OAuth 2.0 client's secret",
        description:
          'The old secret works until the grace period ends. Issued tokens stay valid until they expire; to end them earlier, revoke them or the client.',
        params: z.object({ id: z.string() }),
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
          const before = await oauthClients.getActive(tx, principal.accountId, request.params.id);
          const now = new Date();
          const maker = await administrators.privilegesOf(tx, principal);
          refuseExcess(maker, clientPrivileges(before, now));
          const [old, ...more] = workingSecrets(before, now);
          if (more.length > 0)
            throw new ApiError('INVALID_STATE', 'The secret was already rotated, and the grace period of the old one has not ended.');
          const { text, secret } = newClientSecret(now, maker.expires_at, userBehind(principal));
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
