import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The commits whose code made the fixtures. */
const commits: Readonly<Record<string, string>> = { '0.1.0': '19caaaee91b8b95367e7469127e54016f6a562e3' };

/** Whether the history of this checkout has the version: a shallow clone has not. */
export const hasVersion = (version: string): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${commits[version]}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  );

/** Puts the sources of a version into a folder of their own, with the installed packages of this checkout. Returns the folder. */
export async function checkOut(version: string, t: { after: (cleanUp: () => Promise<void>) => void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `version-${version}-`));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await run('bash', ['-c', 'set -o pipefail; git archive "$0" | tar -x -C "$1"', commits[version] ?? '', folder], { cwd: root });
  const own = ['@mp', '@marketing-platform'];
  for (const scope of own) await mkdir(join(folder, 'node_modules', scope), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (!own.includes(name)) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const kind of ['libs', 'services'])
    for (const name of await readdir(join(folder, kind))) {
      const its = await readFile(join(folder, kind, name, 'package.json'), 'utf8').catch(() => undefined);
      if (its !== undefined) await symlink(join(folder, kind, name), join(folder, 'node_modules', JSON.parse(its).name));
    }
  return folder;
}
