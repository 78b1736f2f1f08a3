import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { cookieOptions, sessionCookie } from '../../credentials/session-cookie.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { findSignedIn, type SignedInDeps } from './signed-in.ts';

type Deps = SignedInDeps & { auditLog: AuditLogStore; mongo: Mongo; forgetSecret: (hash: string) => void };

/** Ends the current session, if there is one, and clears its cookie. */
export function signOut(app: Server, deps: Deps) {
  const { sessions, auditLog, mongo, forgetSecret, publicUrl } = deps;
  app.post('/auth/sign-out', { schema: { hide: true, body: z.strictObject({}) } }, async (request, reply) => {
    const mine = await findSignedIn(request, deps);
    if (mine) {
      const { user, session } = mine;
      await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        if (!(await sessions.close(tx, session._id))) return;
        await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.signed_out', target_id: user.id });
      });
      forgetSecret(session._id);
    }
    reply.clearCookie(sessionCookie(publicUrl), cookieOptions(publicUrl));
    return { success: true, data: { signed_out: true } };
  });
}
