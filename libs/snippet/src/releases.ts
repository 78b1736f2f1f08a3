import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import packageJson from '../package.json' with { type: 'json' };

export type Release = { version: string; code: Buffer; integrity: string };

/** The scripts, with their source, the folder of their releases and the version that the source is. */
export const scripts = {
  mp: { source: 'page/mp.ts', folder: '', version: packageJson.version, title: 'LeadPulse' },
  embed: { source: 'embed/embed.ts', folder: 'embed/', version: '1.0.0', title: 'Forms' },
  frame: { source: 'embed/frame.ts', folder: 'frame/', version: '1.0.0', title: 'Forms' },
  proof: { source: 'embed/proof.ts', folder: 'proof/', version: '1.0.0', title: 'Forms' },
} as const;
export type ScriptName = keyof typeof scripts;

/** Scripts that pages can also import. */
export const modules: readonly ScriptName[] = ['proof'];

/** Every released version of a script, as it is served. A released version never changes, because pages name its hash. */
export function releasesOf(name: ScriptName): readonly Release[] {
  const folder = new URL(`../releases/${scripts[name].folder}`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => {
      const code = readFileSync(new URL(file, folder));
      return { version: file.slice(0, -'.js'.length), code, integrity: `sha384-${createHash('sha384').update(code).digest('base64')}` };
    });
}

/** The release of the current source. */
export function latestOf(name: ScriptName): Release {
  const { folder, version } = scripts[name];
  const found = releasesOf(name).find((release) => release.version === version);
  if (!found) throw new Error(`libs/snippet/releases/${folder}${version}.js is missing; run npm run build -w @mp/snippet.`);
  return found;
}

export const releases: readonly Release[] = releasesOf('mp');

export const latestRelease: Release = latestOf('mp');
