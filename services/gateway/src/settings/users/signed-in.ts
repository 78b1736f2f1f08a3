import { ApiError } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import { parseCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialCache } from '../../credentials/credential-cache.ts';
import { countFailedAuth, type FailedAuthLimiter } from '../../credentials/failed-auth-limiter.ts';
import { enrolmentIsDue, proofIsDue } from '../../credentials/second-factor-proof.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { cookieOptions, csrfToken, sessionCookie, stepCookie } from '../../credentials/session-cookie.ts';
import { isWellFormedSecret } from '../../credentials/token-format.ts';
import { mustProve } from './session-requirements.ts';
import type { SessionDocument, SessionsStore } from './sessions-store.ts';
import { permissionOf, type UserRow } from './user.ts';
import type { UsersStore } from './users-store.ts';

/** What is needed to find the signed-in user. */
export type SignedInDeps = {
  users: UsersStore;
  sessions: SessionsStore;
  sessionCache: CredentialCache;
  failedAuths: FailedAuthLimiter;
  publicUrl: string;
};

/** `mustEnroll`: the account requires a second factor, and the user has none yet. */
export type SignedIn = { token: string; session: SessionDocument; user: UserRow; mustEnroll: boolean };

export const signInIsOver = () => new ApiError('UNAUTHORIZED', 'This sign-in has expired or is finished. Sign in again.');

const signedOut = () => new ApiError('UNAUTHORIZED', 'Sign in first.');

/** The session of this browser. As in the API, malformed tokens are rejected without a lookup and failures per address limited. */
async function sessionOf(request: FastifyRequest, { sessions, sessionCache, failedAuths, publicUrl }: SignedInDeps) {
  const token = parseCookie(request.headers.cookie ?? '')[sessionCookie(publicUrl)];
  if (token === undefined) return undefined;
  if (!isWellFormedSecret('session', token)) return undefined;
  const hash = secretHash(token);
  const address = addressOf(request);
  const known = await sessionCache.find(hash, { isSuspect: failedAuths.waitOf(address) > 0 });
  const session = known && (await sessions.find(hash));
  if (session && known.expiresAt !== null && known.expiresAt > Date.now())
    return { token, session, mustEnroll: known.secondFactor?.mustEnroll ?? false };
  countFailedAuth(address, failedAuths);
  return undefined;
}

/** The signed-in user, if any. Throws FORBIDDEN if a write lacks the CSRF token of our pages. */
export async function findSignedIn(request: FastifyRequest, deps: SignedInDeps): Promise<SignedIn | undefined> {
  const found = await sessionOf(request, deps);
  const user = found && (await deps.users.find(found.session.account_id, found.session.user_id));
  if (!found || !user) return undefined;
  const { token, session, mustEnroll } = found;
  if (request.method !== 'GET' && request.headers['x-csrf-token'] !== csrfToken(token)) {
    throw new ApiError('FORBIDDEN', 'Send the csrf_token from GET /auth/session in the x-csrf-token header.');
  }
  return { token, session, user, mustEnroll };
}

/**
 * The signed-in user. Throws UNAUTHORIZED if there is none, and SECOND_FACTOR_REQUIRED if the user must first add or prove one, except for
 * what that takes.
 */
export async function signedIn(request: FastifyRequest, deps: SignedInDeps, { isEnrolling = false } = {}): Promise<SignedIn> {
  const mine = await findSignedIn(request, deps);
  if (!mine) throw signedOut();
  if (mine.mustEnroll && !isEnrolling) throw enrolmentIsDue();
  if (mustProve(mine) && !isEnrolling) throw proofIsDue();
  return mine;
}

/** A link proves access to the user's mailbox or the operator's terminal. For this long it replaces the current password. */
const linkCountsMs = 15 * 60 * 1_000;

/** Whether setting a new password requires the current one. */
export const needsPassword = ({ session, user }: Pick<SignedIn, 'session' | 'user'>, now: Date) =>
  user.password !== null && (session.by !== 'link' || now.getTime() - session.created_at.getTime() > linkCountsMs);

export function setSessionCookie(reply: FastifyReply, publicUrl: string, { token, session }: Pick<SignedIn, 'token' | 'session'>) {
  reply.setCookie(sessionCookie(publicUrl), token, { ...cookieOptions(publicUrl), expires: session.expires_at });
}

/** The cookie of a browser that must choose an account or prove a second factor next. */
export function setStepCookie(reply: FastifyReply, publicUrl: string, { token, expires_at }: { token: string; expires_at: Date }) {
  reply.setCookie(stepCookie(publicUrl), token, { ...cookieOptions(publicUrl), expires: expires_at });
}

export const sessionView = ({ token, session, user, mustEnroll }: SignedIn) => ({
  user: { id: user.id, name: user.name, email: user.email, role: user.role, permission: permissionOf(user) },
  account_id: user.account_id,
  has_password: user.password !== null,
  needs_current_password: needsPassword({ session, user }, new Date()),
  has_second_factor: user.has_second_factor,
  must_add_second_factor: mustEnroll,
  csrf_token: csrfToken(token),
  expires_at: session.expires_at.toISOString(),
});
