import { gzipSync } from 'node:zlib';
import type { Server } from './create-server.ts';

/** A version of a script for pages, with its hash. */
type Release = { version: string; code: Buffer; integrity: string };

const secondsAnHour = 3_600;
const secondsAYear = 31_536_000;

type File = { code: Buffer; compressed: Buffer; etag: string; cacheControl: string };

const fileFrom = ({ code, version, integrity }: Release, cacheControl: string): File => ({
  code,
  compressed: gzipSync(code, { level: 9 }),
  etag: `"${version}-${integrity.slice(-16)}"`,
  cacheControl,
});

/** The name of the file of a version. */
export const scriptFile = (name: string, version: string) => `${name}-${version}.js`;

type Script = { name: string; latest: Release; releases: readonly Release[] };

/** `GET <folder>/<name>.js`, the latest version of a script for pages of any origin, and every version under a URL that never changes. */
export function serveScript(app: Server, folder: string, { name, latest, releases }: Script) {
  const immutable = `public, max-age=${secondsAYear}, immutable`;
  const files = [
    [`${name}.js`, fileFrom(latest, `public, max-age=${secondsAnHour}`)] as const,
    ...releases.map((release) => [scriptFile(name, release.version), fileFrom(release, immutable)] as const),
  ];

  for (const [file, { code, compressed, etag, cacheControl }] of files)
    app.get(`${folder}/${file}`, { schema: { hide: true } }, async (request, reply) => {
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
