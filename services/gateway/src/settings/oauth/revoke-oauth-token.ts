import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isWellFormedSecret } from '../../credentials/token-format.ts';
import { type AuthenticateClientDeps, authenticateClient, formOf } from './authenticate-client.ts';
import { OauthError } from './oauth-error.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

type Deps = AuthenticateClientDeps & { oauthTokens: OauthTokensStore; mongo: Mongo; forgetSecret: (hash: string) => void };

/** Revokes an access token of the client (RFC 7009). */
export function revokeOauthToken(app: Server, deps: Deps) {
  const { oauthTokens, mongo, forgetSecret } = deps;
  app.post('/oauth/revoke', { schema: { hide: true } }, async (request, reply) => {
    const form = formOf(request);
    const { client } = await authenticateClient(request, form, deps);
    const token = form.get('token');
    if (token === undefined) throw new OauthError('invalid_request', 'token is missing.');
    // A token that is not this client's counts as already revoked (RFC 7009 §2.2).
    if (isWellFormedSecret('token', token)) {
      const hash = secretHash(token);
      const origin = { correlationId: request.id, causationId: null };
      await mongo.transaction(origin, (tx) => oauthTokens.revoke(tx, client, hash));
      forgetSecret(hash);
    }
    return reply.code(200).send();
  });
}
