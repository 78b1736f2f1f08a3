import fastifyCookie from '@fastify/cookie';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { CredentialCache } from '../credentials/credential-cache.ts';
import { secretHash } from '../credentials/secret-hash.ts';
import type { WrongCredentials } from '../credentials/wrong-credentials.ts';
import { cookieOf, csrfToken, sessionCookie } from '../policies/authenticate.ts';
import type { SessionsStore } from './sessions-store.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import { permissionOf, type UserRow } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Parts = {
  mongo: Mongo;
  users: UsersStore;
  sessions: SessionsStore;
  signInLinks: SignInLinksStore;
  auditLog: AuditLogStore;
  sessionCache: CredentialCache;
  wrongCredentials: WrongCredentials;
  publicUrl: string;
};

const wrong = () => new ApiError('UNAUTHORIZED', 'This sign-in link is not valid: unknown, used already, or older than a day.');
const signedOut = () => new ApiError('UNAUTHORIZED', 'Sign in first.');

/** Signing in and out of the dashboard. These are for our own pages, in a browser, not part of the API. */
export function sessionRoutes(app: Server, parts: Parts) {
  const { mongo, users, sessions, signInLinks, auditLog, sessionCache, wrongCredentials } = parts;
  const cookie = cookieOptions(parts.publicUrl);
  void app.register(fastifyCookie);

  app.post(
    '/auth/sign-in',
    { schema: { hide: true, body: z.object({ token: z.string().min(1).max(200) }).strict() } },
    async (request, reply) => {
      // The gateway wrote this header; what a client sent under this name stays outside.
      const address = String(request.headers['x-forwarded-for'] ?? request.ip);
      const wait = wrongCredentials.waitOf(address);
      if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many wrong credentials came from this address.', { retryAfter: wait });
      const now = new Date();
      const opened = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const link = await signInLinks.use(tx, request.body.token, now);
        const user = link && (await users.find(link.account_id, link.user_id));
        if (!user) return undefined;
        await auditLog.add(tx, { account_id: user.account_id, actor_id: user.id, action: 'user.signed_in', target_id: user.id });
        return { user, ...(await sessions.open(tx, user, now)) };
      });
      if (!opened) {
        wrongCredentials.count(address);
        throw wrong();
      }
      reply.header('cache-control', 'no-store').setCookie(sessionCookie, opened.token, { ...cookie, expires: opened.expires_at });
      return { success: true, data: sessionView(opened.user, opened.token, opened.expires_at) };
    },
  );

  app.get('/auth/session', { schema: { hide: true } }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = cookieOf(request.headers.cookie, sessionCookie);
    const session = token === undefined ? undefined : await sessions.find(secretHash(token));
    const user = session && session.expires_at > new Date() ? await users.find(session.account_id, session.user_id) : undefined;
    if (token === undefined || !session || !user) throw signedOut();
    return { success: true, data: sessionView(user, token, session.expires_at) };
  });

  app.post('/auth/sign-out', { schema: { hide: true, body: z.object({}).strict() } }, async (request, reply) => {
    const token = cookieOf(request.headers.cookie, sessionCookie);
    if (token !== undefined) {
      if (request.headers['x-csrf-token'] !== csrfToken(token)) {
        throw new ApiError('FORBIDDEN', 'Send the x-csrf-token that GET /auth/session answers.');
      }
      await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const closed = await sessions.close(tx, secretHash(token));
        if (!closed) return;
        const { account_id, user_id } = closed;
        await auditLog.add(tx, { account_id, actor_id: user_id, action: 'user.signed_out', target_id: user_id });
      });
      sessionCache.forget(secretHash(token));
    }
    reply.header('cache-control', 'no-store').clearCookie(sessionCookie, cookie);
    return { success: true, data: { signed_out: true } };
  });

  app.all('/auth/*', { schema: { hide: true } }, () => {
    throw notFound();
  });
}

/** Secure wherever the address is not this machine's own, where there is no TLS to speak of. */
function cookieOptions(publicUrl: string) {
  const { protocol, hostname } = new URL(publicUrl);
  const local = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: !local } as const;
}

const sessionView = (user: UserRow, token: string, expiresAt: Date) => ({
  user: { id: user.id, name: user.name, role: user.role, permission: permissionOf(user.role) },
  account_id: user.account_id,
  csrf_token: csrfToken(token),
  expires_at: expiresAt.toISOString(),
});
