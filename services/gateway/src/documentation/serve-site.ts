import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, unknownPath } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setContentSecurityPolicy } from './content-security-policy.ts';
import { plainPage } from './plain-page.ts';

const notBuilt = plainPage({
  title: 'Documentation not built',
  styles: 'body { max-width: 40rem; }',
  body: `<h1>The documentation is not built</h1>
<p>Run <code>npm run docs</code> in the checkout and reload this page. The same pages are Markdown files under <code>docs/</code>.</p>
<p>The <a href="/reference">API reference</a> needs no build.</p>`,
});

/** What a decoded path of a page can consist of. Each part ends at a slash, so this takes linear time. */
const isPlain = (path: string) => /^(?:[\w@-][\w@.-]*(?:\/|$))*$/.test(path);

/** Documents that are too large to make while the gateway serves requests, so that the build of the site writes them. */
const documents = {
  '/llms-full.txt': 'text/plain; charset=utf-8',
  '/openapi.yaml': 'application/yaml; charset=utf-8',
  '/postman-collection.json': 'application/json; charset=utf-8',
};

/** Serves what `npm run docs` writes: the site under /docs, and documents for programs. Needs `sendFile`, which the dashboard's files bring. */
export function serveSite(app: Server, folder: string) {
  const html = createHtmlHeaders(join(folder, 'index.html'));
  app.get('/docs', { schema: { hide: true } }, async (_, reply) => reply.redirect('/docs/', 308));

  app.get('/docs/*', { schema: { hide: true } }, async (request, reply) => {
    const path = pathOf(request);
    if (!existsSync(join(folder, 'index.html')))
      return html(reply, notBuilt).code(404).type('text/html; charset=utf-8').serializer(String).send(notBuilt);
    const file = isPlain(path) ? fileOf(folder, path) : undefined;
    if (file !== undefined) return sendFile(reply, file);
    // A folder's page needs the slash, because its links are relative to the folder.
    if (isPlain(path) && fileOf(folder, `${path}/`) !== undefined) return reply.redirect(`/docs/${path}/`, 308);
    if (!String(request.headers.accept ?? '').includes('text/html')) throw unknownPath(`/docs/${path}`);
    return sendFile(reply.code(404), '404.html');
  });

  for (const [path, type] of Object.entries(documents))
    app.get(path, { schema: { hide: true } }, async (_, reply) => {
      if (!existsSync(join(folder, path)))
        throw new ApiError('NOT_FOUND', `${path} is written by \`npm run docs\`, which has not run yet.`);
      const headers = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
      return reply.headers(headers).type(type).sendFile(path.slice(1), folder, { contentType: false });
    });

  function sendFile(reply: FastifyReply, file: string) {
    if (file.endsWith('.html')) html(reply);
    else reply.header('x-content-type-options', 'nosniff');
    // Files in assets/ have content hashes in their names, so they never change.
    return reply
      .header('cache-control', file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
      .sendFile(file, folder);
  }
}

const pathOf = ({ url }: FastifyRequest) => decodeURIComponent(url.split('?', 1)[0] ?? '').slice('/docs/'.length);

/** `guides/quickstart` is the file guides/quickstart.html, and `guides/` is guides/index.html. */
const fileOf = (folder: string, path: string) =>
  [path, `${path}.html`, `${path}index.html`].find((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile());

/** Every page of the site has the same inline scripts, so their hashes are computed once for each build. */
function createHtmlHeaders(index: string) {
  let built: { at: number; page: string } | undefined;
  return (reply: FastifyReply, page?: string) => {
    const at = statSync(index, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (page === undefined && built?.at !== at) built = { at, page: readFileSync(index, 'utf8') };
    setContentSecurityPolicy(reply.type('text/html; charset=utf-8'), page ?? built?.page ?? '');
    return reply;
  };
}
