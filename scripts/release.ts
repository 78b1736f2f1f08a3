import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serviceNames } from '@mp/contracts/services';
import { onPath } from '@mp/local-infra/binary';
import { fromCache } from '@mp/local-infra/cache';
import { readOptions } from './read-options.ts';
import { notesOf, released } from './release/changelog.ts';
import { packPackages } from './release/pack-packages.ts';
import { packWheel } from './release/pack-wheel.ts';
import { publishScript } from './release/publish-script.ts';
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
  const release = { root, version, repository, to, work };
  const packages = await packPackages(release);
  for (const { file } of packages) say(`package    ${file}`);
  const wheel = await packWheel(release);
  say(`package    ${wheel ?? 'skipped for Python: python3 with pip and hatchling is not on PATH (pip install hatchling)'}`);
  if (repository === undefined) say('           without links to the code: pass --repository');
  await writeSbom();
  const chart = await packChart();
  writeChecksums();
  const documents = ['sbom.cdx.json', 'SHA256SUMS'];
  const script = publishScript({ version, images, services: serviceNames, packages, wheel, chart, documents });
  writeFileSync(join(to, 'publish.sh'), script, { mode: 0o755 });
  say(`\nNothing was published. To publish ${version}, commit it and run ${join(to, 'publish.sh')}, which does:\n\n${script}`);
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

/** Writes the SBOM of what runs in production, from the lockfile. */
async function writeSbom(): Promise<void> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 1e9 });
  const bom = JSON.parse(stdout);
  writeFileSync(join(to, 'sbom.cdx.json'), stdout);
  say(`sbom       sbom.cdx.json, ${bom.components.length} components`);
}

/** The chart pulls the images of this release from where they are pushed. */
async function packChart(): Promise<string | undefined> {
  const helm = onPath('helm') ?? fromCache(join('k8s-tools', 'helm'));
  if (helm === undefined) {
    say('chart      skipped: helm is not installed (deploy/k8s/install-tools.sh installs it)');
    return undefined;
  }
  const chart = join(work, 'marketing-platform');
  cpSync(join(root, 'deploy', 'k8s', 'marketing-platform'), chart, { recursive: true });
  const values = join(chart, 'values.yaml');
  writeFileSync(values, readFileSync(values, 'utf8').replace(/^ {2}prefix: mp$/m, `  prefix: ${images}`));
  await run(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', to]);
  const file = `marketing-platform-${version}.tgz`;
  say(`chart      ${file}`);
  return file;
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
