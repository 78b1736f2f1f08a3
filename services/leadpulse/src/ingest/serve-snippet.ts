import { gzipSync } from 'node:zlib';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { latestRelease, type Release, releases } from '@mp/snippet/releases';
import { z } from 'zod';
import { snippetFile } from '../sites/snippet-path.ts';

const secondsAnHour = 3_600;
const secondsAYear = 31_536_000;

type File = { code: Buffer; compressed: Buffer; etag: string; cacheControl: string };

const fileFrom = ({ code, version, integrity }: Release, cacheControl: string): File => ({
  code,
  compressed: gzipSync(code, { level: 9 }),
  etag: `"${version}-${integrity.slice(-16)}"`,
  cacheControl,
});

/** `GET /ingest/v1/mp.js`, the latest version of the browser snippet, and every version under a URL that never changes. */
export function serveSnippet(app: Server) {
  const immutable = `public, max-age=${secondsAYear}, immutable`;
  const files = new Map<string, File>([
    ['mp.js', fileFrom(latestRelease, `public, max-age=${secondsAnHour}`)],
    ...releases.map((release): [string, File] => [snippetFile(release.version), fileFrom(release, immutable)]),
  ]);

  app.get('/ingest/v1/:file', { schema: { hide: true, params: z.object({ file: z.string() }) } }, async (request, reply) => {
    const file = files.get(request.params.file);
    if (!file) throw notFound();
    const { code, compressed, etag, cacheControl } = file;
    reply.headers({
      'cache-control': cacheControl,
      etag,
      vary: 'accept-encoding',
      'content-type': 'text/javascript; charset=utf-8',
      // Subresource integrity needs a page of another origin to be able to read the script.
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    if (/\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? ''))
      return reply.header('content-encoding', 'gzip').send(compressed);
    return reply.send(code);
  });
}
