import { ApiError, errorCodes } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { realm } from '../../credentials/realm.ts';
import { startAuthorization } from './authorize.ts';
import { createOauthToken } from './create-oauth-token.ts';
import { getOauthMetadata } from './get-oauth-metadata.ts';
import { OauthError } from './oauth-error.ts';
import type { OauthFailure } from './oauth-shapes.ts';
import { revokeOauthToken } from './revoke-oauth-token.ts';

type Deps = Parameters<typeof getOauthMetadata>[1] & Parameters<typeof createOauthToken>[1] & Parameters<typeof revokeOauthToken>[1];

/** OAuth 2.0 for programs, in OAuth's own formats instead of the envelope. */
export function oauthRoutes(app: Server, deps: Deps) {
  getOauthMetadata(app, deps);
  startAuthorization(app);

  void app.register(async (oauth) => {
    oauth.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    oauth.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store').header('pragma', 'no-cache'));
    oauth.setErrorHandler(sendOauthError);
    createOauthToken(oauth, deps);
    revokeOauthToken(oauth, deps);
  });
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
  const status = error instanceof ApiError ? errorCodes[error.code].status : error.statusCode;
  if (status !== undefined && status < 500) {
    return new OauthError('invalid_request', 'Send application/x-www-form-urlencoded with at most 64 KiB.');
  }
  return new OauthError('temporarily_unavailable', 'Something went wrong on our side.', { status: 500 });
}
