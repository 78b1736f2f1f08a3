import type { Server } from '@mp/service-kit/create-server';
import { type SignedInDeps, sessionView, signedIn } from './signed-in.ts';

/** The current session, with the CSRF token for writes. */
export function getSession(app: Server, deps: SignedInDeps) {
  app.get('/auth/session', { schema: { hide: true } }, async (request) => ({
    success: true,
    data: sessionView(await signedIn(request, deps, { isEnrolling: true })),
  }));
}
