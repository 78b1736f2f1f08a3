import { ApiError } from '@mp/contracts/errors';
import { parseCookie } from 'cookie';
import type { Credential } from '../../credentials/credential.ts';
import type { CredentialCache } from '../../credentials/credential-cache.ts';
import { countFailedAuth, type FailedAuthLimiter } from '../../credentials/failed-auth-limiter.ts';
import type { LastUsed } from '../../credentials/last-used.ts';
import { realm } from '../../credentials/realm.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { csrfToken } from '../../credentials/session-cookie.ts';
import { isWellFormedSecret, kindOfSecret, type SecretKind } from '../../credentials/token-format.ts';
import type { Exchange } from '../exchange.ts';

export type AuthenticateParts = {
  keys: CredentialCache;
  tokens: CredentialCache;
  sessions: CredentialCache;
  failedAuths: FailedAuthLimiter;
  lastUsed: Pick<LastUsed, 'note'>;
  /** The name of the session cookie. */
  sessionCookie: string;
};

/**
 * Identifies the caller, or throws UNAUTHORIZED if the credential is missing, unknown, revoked or expired. Accepts cached
 * credentials synchronously, because awaiting one would cost as much as finding it.
 */
export function authenticate(exchange: Exchange, parts: AuthenticateParts): void | Promise<void> {
  const { authorization } = exchange.req.headers;
  return authorization === undefined ? bySession(exchange, parts) : byBearer(exchange, authorization, parts);
}

/** An API key or an access token, by prefix. Malformed tokens are rejected without a lookup. */
function byBearer(exchange: Exchange, authorization: string, parts: AuthenticateParts): void | Promise<void> {
  const text = bearerOf(authorization);
  const kind = kindOfSecret(text);
  const cache = kind === 'key' ? parts.keys : kind === 'token' ? parts.tokens : undefined;
  const hash = cache && secretHash(text);
  const warm = hash === undefined ? undefined : cache?.warm(hash);
  if (warm) return accept(warm, exchange, parts);
  if (!cache || hash === undefined || !kind || !isWellFormedSecret(kind, text)) throw malformed(exchange, authorization, kind);
  return cache.find(hash, { isSuspect: isSuspect(exchange, parts) }).then((credential) => accept(credential, exchange, parts));
}

/** Whether the address has sent many wrong credentials. Its valid ones that are not cached are then read a little later. */
const isSuspect = ({ address }: Exchange, { failedAuths }: Pick<AuthenticateParts, 'failedAuths'>) => failedAuths.waitOf(address) > 0;

const bearerOf = (authorization: string) => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

function accept(credential: Credential | undefined, exchange: Exchange, { failedAuths, lastUsed }: AuthenticateParts) {
  exchange.caller = credential;
  if (!credential || hasExpired(credential, exchange.at)) {
    countFailedAuth(exchange.address, failedAuths);
    throw invalidToken(exchange);
  }
  lastUsed.note(credential.id, exchange.at);
  exchange.credential = credential;
}

function invalidToken({ headers }: Exchange): ApiError {
  headers['www-authenticate'] = `Bearer realm="${realm}", error="invalid_token"`;
  return new ApiError('UNAUTHORIZED', 'The API key or access token is invalid: unknown, revoked or expired.');
}

/** The error for a malformed credential, which is rejected without a lookup and not counted against the address. */
function malformed(exchange: Exchange, authorization: string, kind: SecretKind | undefined): ApiError {
  return new ApiError(invalidToken(exchange).code, faultOf(authorization, kind));
}

function faultOf(authorization: string, kind: SecretKind | undefined): string {
  if (kindOfSecret(authorization.trim())) return 'The word Bearer is missing: send Authorization: Bearer <key>.';
  if (bearerOf(authorization) === '') return 'Only the Bearer scheme is supported: send Authorization: Bearer <key>.';
  if (kind === 'clientSecret') return 'This is a client secret: exchange it for an access token at POST /oauth/token.';
  if (kind === 'code' || kind === 'refreshToken')
    return `This is ${kind === 'code' ? 'an authorization code' : 'a refresh token'}: exchange it for an access token at POST /oauth/token.`;
  if (kind === 'session') return 'This is a session token: send an API key or an access token.';
  return `The ${kind === 'token' ? 'access token' : 'API key'} is malformed: a part of it is missing or mistyped.`;
}

/** A dashboard session by its cookie. Like a malformed key, a malformed cookie is rejected without a lookup. */
async function bySession(exchange: Exchange, { sessions, failedAuths, sessionCookie }: AuthenticateParts) {
  const token = parseCookie(exchange.req.headers.cookie ?? '')[sessionCookie];
  const hash = token !== undefined && isWellFormedSecret('session', token) ? secretHash(token) : undefined;
  const session =
    hash === undefined
      ? undefined
      : (sessions.warm(hash) ?? (await sessions.find(hash, { isSuspect: isSuspect(exchange, { failedAuths }) })));
  exchange.caller = session;
  if (token === undefined || !session || hasExpired(session, exchange.at)) {
    if (hash !== undefined) countFailedAuth(exchange.address, failedAuths);
    exchange.headers['www-authenticate'] = `Bearer realm="${realm}"`;
    throw new ApiError('UNAUTHORIZED', isPreflight(exchange) ? noCors : 'Send an API key or an access token: Authorization: Bearer <key>.');
  }
  const writes = exchange.method !== 'GET' && exchange.method !== 'HEAD';
  if (writes && exchange.req.headers['x-csrf-token'] !== csrfToken(token)) {
    throw new ApiError('FORBIDDEN', 'Send the csrf_token from GET /auth/session in the x-csrf-token header.');
  }
  exchange.credential = session;
}

/** A browser asks whether a page of another site may send a request. It never sends a credential with that. */
const isPreflight = ({ method, req }: Exchange) => method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;

const noCors = 'Pages of other sites cannot call this API, because a browser would reveal the API key; call it from your server.';

export const hasExpired = ({ expiresAt }: Credential, at: number) => expiresAt !== null && expiresAt <= at;
