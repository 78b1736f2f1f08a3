import fastifyCookie from '@fastify/cookie';
import { ApiError, unknownPath } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyRequest } from 'fastify';
import { forgottenPassword } from './forgotten-password.ts';
import { ownSessions } from './own-sessions.ts';
import { setPassword } from './set-password.ts';
import { signIn } from './sign-in.ts';
import type { AuthParts } from './signed-in.ts';

/**
 * Whether the request comes from one of our pages, or from no page at all. Browsers say so in `Sec-Fetch-Site`. Without it (old
 * browsers, plain HTTP), `Origin` is compared with the public URL and with the requested host.
 */
function isFromOurPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined || origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

/** Signing in to and out of the dashboard. For our own pages in a browser; not part of the public API. */
export function authRoutes(app: Server, parts: AuthParts) {
  void app.register(fastifyCookie);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/auth/')) return;
    reply.header('cache-control', 'no-store');
    // Prevents login CSRF: another site could sign a user in to an account that is not theirs.
    if (request.method !== 'GET' && !isFromOurPage(request, parts.publicUrl)) {
      throw new ApiError('FORBIDDEN', 'Only the pages of this platform may send this request.');
    }
  });
  signIn(app, parts);
  ownSessions(app, parts);
  setPassword(app, parts);
  forgottenPassword(app, parts);
  app.all('/auth/*', { schema: { hide: true } }, ({ url }) => {
    throw unknownPath(url.split('?', 1)[0] ?? url);
  });
}
