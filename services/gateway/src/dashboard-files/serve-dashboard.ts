import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { unknownPath } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Allows scripts and styles only from our own files, none inline. Mantine and the charts set styles by code
 * (`element.style`), which the policy does not restrict. Images may be `data:`, for emails with embedded images.
 */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Dashboard not built</title></head>
<body><h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> and reload this page. The API is available under <code>/v2</code>.</p></body></html>
`;

/**
 * Serves the dashboard's files, and its single page for every other address that a browser navigates to. `nearest`: the path of the API
 * that a program may have meant.
 */
export function serveDashboard(app: Server, folder: string, nearest: (path: string) => string | undefined) {
  void app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false, preCompressed: true });

  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    reply.headers(securityHeaders);
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '/').slice(1);
    if (path !== '' && path !== 'index.html' && existsSync(join(folder, path)) && /\.[a-z0-9]+$/i.test(path)) return sendFile(reply, path);
    if (!isNavigation(request, path)) {
      reply.header('cache-control', 'no-store');
      throw unknownPath(`/${path}`, nearest(`/${path}`));
    }
    if (!existsSync(join(folder, 'index.html'))) return reply.code(404).type('text/html; charset=utf-8').send(notBuilt);
    return reply.header('cache-control', 'no-cache').sendFile('index.html');
  });

  app.post('/*', { schema: { hide: true } }, ({ url }) => {
    throw unknownPath(url.split('?', 1)[0] ?? url);
  });
}

/** Files in assets/ have content hashes in their names, so they never change. */
const sendFile = (reply: FastifyReply, path: string) =>
  reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache').sendFile(path);

/** Whether a browser is opening a page, rather than a program requesting a file or JSON. */
const isNavigation = (request: FastifyRequest, path: string) =>
  path === '' || (String(request.headers.accept ?? '').includes('text/html') && !/\.[a-z0-9]+$/i.test(path) && !isReserved(path));

/** Paths that do not belong to the dashboard. */
const isReserved = (path: string) => /^(?:health|oauth|auth|t|\.well-known|api|v\d+|reference|openapi\.json)(?:\/|$)/i.test(path);
