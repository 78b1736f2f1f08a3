import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onPath } from './binary.ts';
import type { Report } from './find.ts';
import { run } from './run.ts';

/**
 * Downloads a Debian package and unpacks it into `folder`, without root: apt stores its lists and cache there instead of in /var. apt
 * verifies the package against the signed lists of the machine's sources.
 */
export async function fetchDebianPackage(name: string, member: string, folder: string, report: Report): Promise<string> {
  for (const tool of ['apt-get', 'dpkg-deb']) {
    if (onPath(tool) === undefined) throw new Error(`this machine has no ${tool}`);
  }
  const places = { 'Dir::State': 'state', 'Dir::State::lists': 'lists', 'Dir::Cache': 'cache' };
  await Promise.all(['state', 'lists/partial', 'cache/archives/partial'].map((path) => mkdir(join(folder, path), { recursive: true })));
  const options = Object.entries({
    ...Object.fromEntries(Object.entries(places).map(([option, path]) => [option, join(folder, path)])),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    'Acquire::http::Timeout': '10',
    'Acquire::https::Timeout': '10',
    // As root, apt would download as its own user, which has no access to this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  }).flatMap(([option, value]) => ['-o', `${option}=${value}`]);
  const env = { ...process.env, LC_ALL: 'C' };

  report(`downloading the Debian package ${name} (apt, without root)`);
  await run('apt-get', ['update', '-qq', ...options], { cwd: folder, env, timeoutMs: 90_000 });
  await run('apt-get', ['download', '-qq', ...options, name], { cwd: folder, env, timeoutMs: 60_000 });
  const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get download ${name} produced no package`);
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')], { env, timeoutMs: 30_000 });
  return join(folder, 'unpacked', member);
}
