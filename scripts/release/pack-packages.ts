import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildCli } from '../../libs/cli/build/build.ts';
import { buildSdk } from '../../libs/sdk/build/build.ts';
import { buildPackage } from '../../libs/snippet/build/package.ts';
import type { Prepared } from './publish-script.ts';

const run = promisify(execFile);

/** The packages that are published. `ownVersion`: its releases are not those of the platform. */
const packages = [
  { folder: 'libs/sdk', build: buildSdk, ownVersion: false },
  { folder: 'libs/cli', build: buildCli, ownVersion: false },
  { folder: 'libs/snippet', build: buildPackage, ownVersion: true },
];

export type Release = { root: string; version: string; repository: string | undefined; to: string; work: string };

/** Builds and packs every npm package into `to`. */
export async function packPackages({ version, repository, to, work }: Release): Promise<Prepared['packages']> {
  const packed: { name: string; version: string; file: string }[] = [];
  for (const { folder, build, ownVersion } of packages) {
    const dist = await build(join(work, folder));
    const file = join(dist, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, ...(!ownVersion && { version }), ...linksOf(repository, folder) }, null, 2));
    const { stdout } = await run('npm', ['pack', dist, '--pack-destination', to, '--json'], { maxBuffer: 1e8 });
    const [{ name, version: ownOrCommon, filename }] = JSON.parse(stdout);
    packed.push({ name, version: ownOrCommon, file: filename });
  }
  return packed;
}

/** Where people find the code of a package, and report problems. */
const linksOf = (repository: string | undefined, directory: string) =>
  repository === undefined
    ? {}
    : {
        repository: { type: 'git', url: `git+${repository}.git`, directory },
        homepage: `${repository}/tree/main/${directory}#readme`,
        bugs: { url: `${repository}/issues` },
      };
