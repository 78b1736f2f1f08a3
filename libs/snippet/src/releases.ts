import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import packageJson from '../package.json' with { type: 'json' };

export type Release = { version: string; code: Buffer; integrity: string };

const folder = new URL('../releases/', import.meta.url);

/** Every released version of the script, as it is served. A released version never changes, because pages name its hash. */
export const releases: readonly Release[] = readdirSync(folder)
  .filter((name) => name.endsWith('.js'))
  .map((name) => {
    const code = readFileSync(new URL(name, folder));
    return { version: name.slice(0, -'.js'.length), code, integrity: `sha384-${createHash('sha384').update(code).digest('base64')}` };
  });

function latest(): Release {
  const found = releases.find(({ version }) => version === packageJson.version);
  if (!found) throw new Error(`libs/snippet/releases/${packageJson.version}.js is missing; run npm run build -w @mp/snippet.`);
  return found;
}

export const latestRelease: Release = latest();
