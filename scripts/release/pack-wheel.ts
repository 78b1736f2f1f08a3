import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Release } from './pack-packages.ts';
import { withVersion } from './versions.ts';

const run = promisify(execFile);
const folder = join('libs', 'sdk-python');

/** Builds the wheel of the Python SDK into `to`, without a registry. Returns its name; undefined if this machine lacks what builds it. */
export async function packWheel({ root, version, repository, to, work }: Release): Promise<string | undefined> {
  const hasTools = await run('python3', ['-c', 'import hatchling, pip']).catch(() => undefined);
  if (hasTools === undefined) return undefined;
  cpSync(join(root, folder), join(work, folder), { recursive: true, filter: (path) => !/__pycache__|\/dist$/.test(path) });
  for (const { file, text } of withVersion(root, version)) if (file.startsWith(folder)) writeFileSync(join(work, file), text);
  if (repository !== undefined) {
    const links = `\n[project.urls]\nRepository = "${repository}"\nIssues = "${repository}/issues"\n`;
    appendFileSync(join(work, folder, 'pyproject.toml'), links);
  }
  await run('python3', ['-m', 'pip', 'wheel', '-q', '--no-deps', '--no-index', '--no-build-isolation', '-w', to, join(work, folder)]);
  return readdirSync(to).find((name) => name.endsWith('.whl'));
}
