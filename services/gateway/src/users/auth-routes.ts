import fastifyCookie from '@fastify/cookie';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { forgottenPassword } from './forgotten-password.ts';
import { ownSessions } from './own-sessions.ts';
import { setPassword } from './set-password.ts';
import { signIn } from './sign-in.ts';
import type { AuthParts } from './signed-in.ts';

/** Signing in and out of the dashboard. These are for our own pages, in a browser, not part of the API. */
export function authRoutes(app: Server, parts: AuthParts) {
  void app.register(fastifyCookie);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/auth/')) return;
    reply.header('cache-control', 'no-store');
    // Every browser of today says so. Nobody else's page signs somebody in, who would then work in a stranger's account.
    const from = request.headers['sec-fetch-site'] ?? 'none';
    if (request.method !== 'GET' && from !== 'same-origin' && from !== 'none') {
      throw new ApiError('FORBIDDEN', 'Only the pages of this platform may ask for this.');
    }
  });
  signIn(app, parts);
  ownSessions(app, parts);
  setPassword(app, parts);
  forgottenPassword(app, parts);
  app.all('/auth/*', { schema: { hide: true } }, () => {
    throw notFound();
  });
}
