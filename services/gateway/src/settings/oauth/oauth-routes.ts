import { scopes as everyScope, Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { realm } from '../../credentials/realm.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isWellFormedSecret, newSecret } from '../../credentials/token-format.ts';
import type { GatewayState } from '../state.ts';
import { authenticateClient, type Form, formOf } from './authenticate-client.ts';
import { type OauthClientRow, scopesOf } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import { grantType, type OauthFailure, type OauthMetadata, type OauthToken } from './oauth-shapes.ts';

const lifetimeSeconds = 3_600;

type Parts = { state: GatewayState; mongo: Mongo; publicUrl: string };

/** OAuth 2.0 for programs: client_credentials (RFC 6749 §4.4), revocation (RFC 7009), metadata (RFC 8414). */
export function oauthRoutes(app: Server, { state, mongo, publicUrl }: Parts) {
  app.get('/.well-known/oauth-authorization-server', { schema: { hide: true } }, async (_, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(metadataOf(publicUrl)),
  );

  void app.register(async (oauth) => {
    oauth.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    oauth.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store').header('pragma', 'no-cache'));
    oauth.setErrorHandler(sendOauthError);

    oauth.post('/oauth/token', { schema: { hide: true } }, async (request) => {
      const form = formOf(request);
      const { client, secret } = await authenticateClient(request, form, state);
      const grant = form.get('grant_type');
      if (grant === undefined) throw new OauthError('invalid_request', 'grant_type is missing.');
      if (grant !== grantType) throw new OauthError('unsupported_grant_type', `The only supported grant_type is ${grantType}.`);
      const requested = requestedScopes(form, client);
      const token = newSecret('token');
      const now = Date.now();
      const expiresAt = Math.min(now + lifetimeSeconds * 1_000, secret.expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
      await state.stores.oauthTokens.insert({
        _id: secretHash(token),
        account_id: client.account_id,
        client_id: client.id,
        scopes: requested,
        created_at: new Date(now),
        expires_at: new Date(expiresAt),
      });
      const scope = (requested ?? scopesOf(client)).join(' ');
      const expires_in = Math.max(1, Math.floor((expiresAt - now) / 1_000));
      return { access_token: token, token_type: 'Bearer', expires_in, scope } satisfies OauthToken;
    });

    oauth.post('/oauth/revoke', { schema: { hide: true } }, async (request, reply) => {
      const form = formOf(request);
      const { client } = await authenticateClient(request, form, state);
      const token = form.get('token');
      if (token === undefined) throw new OauthError('invalid_request', 'token is missing.');
      // A token that is not this client's counts as already revoked (RFC 7009 §2.2).
      if (isWellFormedSecret('token', token)) {
        const hash = secretHash(token);
        const origin = { correlationId: request.id, causationId: null };
        await mongo.transaction(origin, (tx) => state.stores.oauthTokens.revoke(tx, client, hash));
        state.forgetSecret(hash);
      }
      return reply.code(200).send();
    });
  });
}

/** The requested scopes; null if none were requested: then the token has all scopes of its client. */
function requestedScopes(form: Form, client: OauthClientRow): Scope[] | null {
  const text = form.get('scope');
  if (text === undefined) return null;
  const requested = z.array(Scope).safeParse([...new Set(text.split(' ').filter((scope) => scope !== ''))]);
  if (!requested.success || requested.data.length === 0)
    throw new OauthError('invalid_scope', `Valid scopes are ${everyScope.join(', ')}.`);
  const may = scopesOf(client);
  const beyond = requested.data.find((scope) => !may.includes(scope));
  if (beyond !== undefined) throw new OauthError('invalid_scope', `This client may not request ${beyond}.`);
  return requested.data;
}

function metadataOf(publicUrl: string): OauthMetadata {
  const methods: OauthMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    grant_types_supported: [grantType],
    response_types_supported: [],
    scopes_supported: [...everyScope],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    service_documentation: `${publicUrl}/reference`,
  };
}

function sendOauthError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const oauthError = oauthErrorOf(error);
  if (oauthError.status >= 500) request.log.error({ err: error }, 'request failed');
  if (oauthError.retryAfter !== undefined) reply.header('retry-after', oauthError.retryAfter);
  if (oauthError.code === 'invalid_client') reply.header('www-authenticate', `Basic realm="${realm}"`);
  return reply.code(oauthError.status).send({ error: oauthError.code, error_description: oauthError.message } satisfies OauthFailure);
}

function oauthErrorOf(error: FastifyError): OauthError {
  if (error instanceof OauthError) return error;
  if (isMongoUnavailable(error)) {
    return new OauthError('temporarily_unavailable', 'The database is temporarily unavailable; try again.', { status: 503, retryAfter: 2 });
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new OauthError('invalid_request', 'Send application/x-www-form-urlencoded with at most 64 KiB.');
  }
  return new OauthError('temporarily_unavailable', 'Something went wrong on our side.', { status: 500 });
}
