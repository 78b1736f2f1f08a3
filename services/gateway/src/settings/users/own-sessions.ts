import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { sessionCookie } from '../../credentials/session-cookie.ts';
import { type AuthParts, cookieOptions, findSignedIn, sessionView, signedIn } from './signed-in.ts';

/** The current session, the user's other sessions, and signing out. */
export function ownSessions(app: Server, parts: AuthParts) {
  const { state, mongo, publicUrl } = parts;
  const { sessions, auditLog } = state.stores;

  app.get('/auth/session', { schema: { hide: true } }, async (request) => ({
    success: true,
    data: sessionView(await signedIn(request, parts)),
  }));

  app.get('/auth/sessions', { schema: { hide: true } }, async (request) => {
    const mine = await signedIn(request, parts);
    const items = (await sessions.list(mine.user, new Date())).map(({ _id, id, by, address, user_agent, created_at, expires_at }) => ({
      id,
      current: _id === mine.session._id,
      by,
      address,
      user_agent,
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
    }));
    return { success: true, data: { items } };
  });

  const Which = z.union([z.strictObject({ id: z.string().min(1).max(60) }), z.strictObject({ others: z.literal(true) })]);
  app.post('/auth/sessions/revoke', { schema: { hide: true, body: Which } }, async (request) => {
    const { user, session } = await signedIn(request, parts);
    const { body } = request;
    const ended = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const closed = await sessions.closeOf(tx, user, 'id' in body ? { id: body.id } : { except: session._id });
      if ('id' in body && closed.length === 0) throw notFound();
      const details = { sessions: closed.map(({ id }) => id) };
      await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.sessions_ended', target_id: user.id, details });
      return closed;
    });
    for (const { _id } of ended) state.forgetSecret(_id);
    return { success: true, data: { ended: ended.length } };
  });

  app.post('/auth/sign-out', { schema: { hide: true, body: z.strictObject({}) } }, async (request, reply) => {
    const mine = await findSignedIn(request, parts);
    if (mine) {
      const { user, session } = mine;
      await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        if (!(await sessions.close(tx, session._id))) return;
        await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.signed_out', target_id: user.id });
      });
      state.forgetSecret(session._id);
    }
    reply.clearCookie(sessionCookie(publicUrl), cookieOptions(publicUrl));
    return { success: true, data: { signed_out: true } };
  });
}
