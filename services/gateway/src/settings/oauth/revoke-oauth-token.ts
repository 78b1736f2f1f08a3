import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isWellFormedSecret } from '../../credentials/token-format.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { type AuthenticateClientDeps, authenticateClient, findPublicClient, formOf } from './authenticate-client.ts';
import type { GrantsStore } from './grants-store.ts';
import { OauthError } from './oauth-error.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

type Deps = AuthenticateClientDeps & {
  oauthTokens: OauthTokensStore;
  grants: GrantsStore;
  auditLog: AuditLogStore;
  mongo: Mongo;
  forgetSecret: (hash: string) => void;
};

/** Revokes an access token of the client, or all tokens of a user by the refresh token (RFC 7009). */
export function revokeOauthToken(app: Server, deps: Deps) {
  const { oauthTokens, grants, auditLog, mongo, forgetSecret } = deps;
  app.post('/oauth/revoke', { schema: { hide: true } }, async (request, reply) => {
    const form = formOf(request);
    const client = (await findPublicClient(request, form, deps)) ?? (await authenticateClient(request, form, deps)).client;
    const token = form.get('token');
    if (token === undefined) throw new OauthError('invalid_request', 'token is missing.');
    const hash = secretHash(token);
    const origin = { correlationId: request.id, causationId: null };
    // A token that is not this client's counts as already revoked (RFC 7009 §2.2).
    if (isWellFormedSecret('token', token)) {
      await mongo.transaction(origin, (tx) => oauthTokens.revoke(tx, client.id, hash));
      forgetSecret(hash);
    }
    if (isWellFormedSecret('refreshToken', token)) {
      const ended = await mongo.transaction(origin, async (tx) => {
        const found = await grants.revokeByToken(tx, client.id, hash);
        if (!found) return [];
        const { id: target_id, account_id: accountId } = found.grant;
        const details = { reason: 'the application disconnected' };
        await auditLog.add(tx, { accountId, id: client.id }, { action: 'oauth_grant.revoked', target_id, details });
        return found.revoked;
      });
      for (const one of ended) forgetSecret(one);
    }
    return reply.code(200).send();
  });
}
