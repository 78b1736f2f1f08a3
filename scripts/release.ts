import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serviceNames } from '@mp/contracts/services';
import { onPath } from '@mp/local-infra/binary';
import { readOptions } from './read-options.ts';
import { notesOf, released } from './release/changelog.ts';
import { packPackages } from './release/pack-packages.ts';
import { currentVersion, nextMinor, withVersion } from './release/versions.ts';

const usage = `npm run release -- [--dry-run] [--next 0.2.0] [--to folder] [--repository https://…] [--images registry/prefix]
Prepares a release: sets the version, moves the changelog's section, and writes packages, SBOM, chart, checksums and publish.sh
into a folder (.data/release). It publishes nothing: publish.sh does, and every command of it is printed.

--dry-run      changes no file of the repository
--next         the version; the next minor if it is not given
--repository   where the code is hosted, for the links of packages; REPOSITORY_URL does the same
--images       the registry and prefix of image names (mp); IMAGE_PREFIX does the same`;

const { values } = readOptions(usage, {
  'dry-run': { type: 'boolean' },
  next: { type: 'string' },
  to: { type: 'string' },
  repository: { type: 'string' },
  images: { type: 'string' },
});
const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const dryRun = values['dry-run'] ?? false;
const version = values.next ?? nextMinor(currentVersion(root));
const repository = values.repository ?? process.env.REPOSITORY_URL;
const images = values.images ?? process.env.IMAGE_PREFIX ?? 'mp';
const to = resolve(root, values.to ?? join('.data', 'release'));
const say = (line: string) => process.stdout.write(`${line}\n`);

if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 0.2.0.`);
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'release-'));
try {
  changeRepository();
  for (const name of await packPackages({ version, repository, to, work })) say(`package    ${name}`);
  if (repository === undefined) say('           without links to the code: pass --repository');
  await writeSbom();
  const chart = await packChart();
  writeChecksums();
  writePublish(chart);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function changeRepository(): void {
  const file = join(root, 'CHANGELOG.md');
  const changelog = readFileSync(file, 'utf8');
  writeFileSync(join(to, 'release-notes.md'), `${notesOf(changelog, version)}\n`);
  // The commit that set the version has been made.
  if (version === currentVersion(root)) return;
  const date = new Date().toISOString().slice(0, 10);
  const changes = [{ file: 'CHANGELOG.md', text: released(changelog, version, date) }, ...withVersion(root, version)];
  for (const change of changes) {
    if (!dryRun) writeFileSync(join(root, change.file), change.text);
    say(`${dryRun ? 'would set' : 'set      '}  ${version} in ${change.file}`);
  }
}

/** Of what runs in production, from the lockfile. */
async function writeSbom(): Promise<void> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 1e9 });
  const bom = JSON.parse(stdout);
  writeFileSync(join(to, 'sbom.cdx.json'), stdout);
  say(`sbom       sbom.cdx.json, ${bom.components.length} components`);
}

async function packChart(): Promise<string | undefined> {
  const helm = onPath('helm');
  if (helm === undefined) {
    say('chart      skipped: helm is not on PATH (deploy/k8s/install-tools.sh installs it)');
    return undefined;
  }
  const chart = join(root, 'deploy', 'k8s', 'marketing-platform');
  await run(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', to]);
  say(`chart      marketing-platform-${version}.tgz`);
  return `marketing-platform-${version}.tgz`;
}

function writeChecksums(): void {
  const lines = readdirSync(to).map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(to, name)))
        .digest('hex')}  ${name}`,
  );
  writeFileSync(join(to, 'SHA256SUMS'), `${lines.join('\n')}\n`);
}

/** Everything that leaves this machine, for a person or a workflow to run. */
function writePublish(chart: string | undefined): void {
  const packages = readdirSync(to).filter((name) => name.startsWith('marketing-platform-') && name.endsWith('.tgz') && name !== chart);
  const commands = [
    `git tag v${version} && git push origin v${version}`,
    ...packages.map((name) => `npm publish ${to}/${name}`),
    `IMAGE_PREFIX=${images} IMAGE_TAG=${version} deploy/docker/build-images.sh`,
    ...serviceNames.map((name) => `docker push ${images}/${name}:${version}`),
    ...(chart === undefined ? [] : [`helm push ${to}/${chart} oci://${images}/charts`]),
  ];
  writeFileSync(join(to, 'publish.sh'), `#!/usr/bin/env bash\nset -euo pipefail\n${commands.join('\n')}\n`, { mode: 0o755 });
  say(`\nNothing was published. To publish ${version}, run ${join(to, 'publish.sh')}, which does:`);
  for (const command of commands) say(`  ${command}`);
}
