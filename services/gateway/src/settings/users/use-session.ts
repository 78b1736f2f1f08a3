import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { type SignedInDeps, sessionView, signedIn } from './signed-in.ts';

/**
 * Reports that the user has just done something in the dashboard. Requests of the API do not count: an open page that refreshes
 * itself would keep the session of somebody who left alive.
 */
export function useSession(app: Server, deps: SignedInDeps) {
  app.post('/auth/session', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const mine = await signedIn(request, deps, { isEnrolling: true });
    await deps.sessions.use(mine.session._id, new Date());
    return { success: true, data: sessionView(mine) };
  });
}
