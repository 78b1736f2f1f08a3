import fastifyCookie from '@fastify/cookie';
import { notFound } from '@mp/contracts/errors';
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
    if (request.url.startsWith('/auth/')) reply.header('cache-control', 'no-store');
  });
  signIn(app, parts);
  ownSessions(app, parts);
  setPassword(app, parts);
  forgottenPassword(app, parts);
  app.all('/auth/*', { schema: { hide: true } }, () => {
    throw notFound();
  });
}
