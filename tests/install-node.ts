import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What npm reports when there is no way to the registry. */
const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

/** The program of a release of Node, from the registry, or undefined where it cannot be reached. */
export async function installNode(folder: string, version: string): Promise<string | undefined> {
  const at = join(folder, `node-${version}`);
  await mkdir(at);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', at, `${name}@${version}`]);
  } catch (error) {
    if (error instanceof Error && unreachable.test(error.message)) return undefined;
    throw error;
  }
  const node = join(at, 'node_modules', name, 'bin', 'node');
  const { stdout } = await run(node, ['--version']);
  if (stdout.trim() !== `v${version}`) throw new Error(`${node} is ${stdout.trim()}, not v${version}.`);
  return node;
}
