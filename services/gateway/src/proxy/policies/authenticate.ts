import { ApiError } from '@mp/contracts/errors';
import type { Credential } from '../../credentials/credential.ts';
import type { CredentialCache } from '../../credentials/credential-cache.ts';
import { countWrong, type WrongCredentials } from '../../credentials/failed-auth-limiter.ts';
import type { LastUsed } from '../../credentials/last-used.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isSecretText, kindOfSecret } from '../../credentials/token-format.ts';
import { cookieOf, csrfToken } from '../../settings/users/session-cookie.ts';
import type { Exchange } from '../listener/exchange.ts';

export type AuthenticateParts = {
  keys: CredentialCache;
  tokens: CredentialCache;
  sessions: CredentialCache;
  wrongCredentials: WrongCredentials;
  lastUsed: Pick<LastUsed, 'note'>;
  /** The name of the cookie that holds a session. */
  sessionCookie: string;
};

export const realm = 'marketing-platform';

/**
 * Establishes who is calling, or throws UNAUTHORIZED: the one answer for missing, unknown, revoked and expired. Who is
 * warm is known at once: awaiting it would cost as much as finding it.
 */
export function authenticate(exchange: Exchange, parts: AuthenticateParts): Credential | Promise<Credential> {
  const { authorization } = exchange.req.headers;
  return authorization === undefined ? bySession(exchange, parts) : byBearer(exchange, authorization, parts);
}

/** An API key or an access token, told apart by how they begin; anything else is junk, which asks nobody. */
function byBearer(exchange: Exchange, authorization: string, parts: AuthenticateParts): Credential | Promise<Credential> {
  const text = bearerOf(authorization);
  const kind = kindOfSecret(text);
  const cache = kind === 'key' ? parts.keys : kind === 'token' ? parts.tokens : undefined;
  const hash = cache && secretHash(text);
  const warm = hash === undefined ? undefined : cache?.warm(hash);
  if (warm) return valid(warm, exchange, parts);
  // Malformed: refused without a look-up, and not held against the address.
  if (!cache || hash === undefined || !kind || !isSecretText(kind, text)) throw invalidToken(exchange);
  return cache.find(hash, { isSuspect: isSuspect(exchange, parts) }).then((credential) => valid(credential, exchange, parts));
}

/** Whether many wrong credentials came from there. Right ones that nobody remembers are then found a little later. */
const isSuspect = ({ address }: Exchange, { wrongCredentials }: Pick<AuthenticateParts, 'wrongCredentials'>) =>
  wrongCredentials.waitOf(address) > 0;

const bearerOf = (authorization: string) => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

function valid(credential: Credential | undefined, exchange: Exchange, { wrongCredentials, lastUsed }: AuthenticateParts): Credential {
  if (!credential || hasExpired(credential, exchange)) {
    countWrong(exchange.address, wrongCredentials);
    throw invalidToken(exchange);
  }
  lastUsed.note(credential.id, exchange.at);
  return credential;
}

function invalidToken({ headers }: Exchange): ApiError {
  headers['www-authenticate'] = `Bearer realm="${realm}", error="invalid_token"`;
  return new ApiError('UNAUTHORIZED', 'The API key or access token is not valid: unknown, revoked or expired.');
}

/** A cookie that is malformed is refused without a look-up, as a malformed key is. */
async function bySession(exchange: Exchange, { sessions, wrongCredentials, sessionCookie }: AuthenticateParts) {
  const token = cookieOf(exchange.req.headers.cookie, sessionCookie);
  const hash = token !== undefined && isSecretText('session', token) ? secretHash(token) : undefined;
  const session =
    hash === undefined
      ? undefined
      : (sessions.warm(hash) ?? (await sessions.find(hash, { isSuspect: isSuspect(exchange, { wrongCredentials }) })));
  if (token === undefined || !session || hasExpired(session, exchange)) {
    if (hash !== undefined) countWrong(exchange.address, wrongCredentials);
    exchange.headers['www-authenticate'] = `Bearer realm="${realm}"`;
    throw new ApiError('UNAUTHORIZED', 'Send an API key or an access token: Authorization: Bearer <key>.');
  }
  const writes = exchange.method !== 'GET' && exchange.method !== 'HEAD';
  if (writes && exchange.req.headers['x-csrf-token'] !== csrfToken(token)) {
    throw new ApiError('FORBIDDEN', 'Send the x-csrf-token that GET /auth/session answers.');
  }
  return session;
}

/** Whose credential this is, for the log of what was refused: only what is warm, so that nothing is counted or waited for. */
export const createCallerOf =
  ({ keys, tokens, sessions, sessionCookie }: Pick<AuthenticateParts, 'keys' | 'tokens' | 'sessions' | 'sessionCookie'>) =>
  ({ req: { headers } }: Exchange): string | undefined => {
    const text = headers.authorization === undefined ? cookieOf(headers.cookie, sessionCookie) : bearerOf(headers.authorization);
    const kind = kindOfSecret(text ?? '');
    if (text === undefined || kind === undefined || kind === 'clientSecret') return undefined;
    return { key: keys, token: tokens, session: sessions }[kind].warm(secretHash(text))?.id;
  };

const hasExpired = ({ expiresAt }: Credential, { at }: Exchange) => expiresAt !== null && expiresAt <= at;
