import type { Server } from '@mp/service-kit/create-server';
import { type SignedInDeps, signedIn } from './signed-in.ts';

/** The open sessions of the signed-in user, in every browser. */
export function listSessions(app: Server, deps: SignedInDeps) {
  app.get('/auth/sessions', { schema: { hide: true } }, async (request) => {
    const mine = await signedIn(request, deps);
    const items = (await deps.sessions.list(mine.user, new Date())).map(({ _id, id, by, address, user_agent, created_at, expires_at }) => ({
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
}
