import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { cookieOptions, sessionCookie } from '../../credentials/session-cookie.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { type SignedInDeps, signedIn } from './signed-in.ts';

type Deps = SignedInDeps & { auditLog: AuditLogStore; mongo: Mongo; forgetSecret: (hash: string) => void };

const Which = z.union([
  z.strictObject({ id: z.string().min(1).max(60) }),
  z.strictObject({ others: z.literal(true) }),
  z.strictObject({ all: z.literal(true) }),
]);

/** Ends one session of the signed-in user, all others, or all. */
export function revokeSessions(app: Server, deps: Deps) {
  const { sessions, auditLog, mongo, forgetSecret, publicUrl } = deps;
  app.post('/auth/sessions/revoke', { schema: { hide: true, body: Which } }, async (request, reply) => {
    const { user, session } = await signedIn(request, deps);
    const { body } = request;
    const ended = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const closed = await sessions.closeOf(tx, user, 'id' in body ? { id: body.id } : { except: 'all' in body ? undefined : session._id });
      if ('id' in body && closed.length === 0) throw notFound();
      const details = { sessions: closed.map(({ id }) => id) };
      await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.sessions_ended', target_id: user.id, details });
      return closed;
    });
    for (const { _id } of ended) forgetSecret(_id);
    if ('all' in body) reply.clearCookie(sessionCookie(publicUrl), cookieOptions(publicUrl));
    return { success: true, data: { ended: ended.length } };
  });
}
