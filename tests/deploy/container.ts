import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** If set, tests/platform.ts runs images instead of sources; PLATFORM_IMAGES is their prefix, such as `mp`. */
export const imagePrefix = process.env.PLATFORM_IMAGES;

/** Restrictions as in a cluster: non-root, only /tmp is writable, no capabilities; but with the network of this machine. */
const confined = ['--network', 'host', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

type Container = { name: string; image: string; env: Record<string, string>; command: readonly string[] };

/** Runs a container in the foreground: it ends with the process and gets all signals of the process except SIGKILL. */
export function spawnContainer({ name, image, env, command }: Container) {
  // Only the names, so that no secret is on the command line.
  const names = Object.keys(env).flatMap((variable) => ['--env', variable]);
  return spawn('docker', ['run', '--rm', '--name', name, ...confined, ...names, image, ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The output of a container that ends automatically. */
export async function outputOf({ name, image, env, command }: Container) {
  const names = Object.keys(env).flatMap((variable) => ['--env', variable]);
  const { stdout } = await run('docker', ['run', '--rm', '--name', name, ...confined, ...names, image, ...command], {
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}

export const killContainer = (name: string) => run('docker', ['rm', '--force', name]).catch(() => undefined);
