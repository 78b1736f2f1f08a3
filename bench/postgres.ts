import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@mp/local-infra/free-port';
import { pause } from '@mp/service-kit/backoff';

const run = promisify(execFile);

/** Where Debian and the packages of PostgreSQL install its programs, by version. */
const programs = '/usr/lib/postgresql';

/** Durable, as installed; memory and log as its documentation advises for a server. */
const settings = ['shared_buffers=1GB', 'max_wal_size=4GB', 'max_connections=100', 'listen_addresses=127.0.0.1'];

export const postgresSettings = settings.slice(0, 2).join(', ');

/** Starts a PostgreSQL of this machine with new data, which are removed at the end; returns undefined if none is installed. */
export async function startPostgres() {
  const versions = await readdir(programs).catch(() => []);
  const version = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (version === undefined) return undefined;
  const program = (name: string) => join(programs, version, 'bin', name);
  const owner = ownerOfServer();
  const dir = await mkdtemp(join(tmpdir(), 'postgres-bench-'));
  if (owner) await chown(dir, owner.uid, owner.gid);
  const port = await freePort();
  await run(program('initdb'), ['-D', join(dir, 'data'), '-U', 'bench', '--auth=trust', '--encoding=UTF8', '--locale=C'], {
    ...owner,
    cwd: dir,
  });
  const args = ['-D', join(dir, 'data'), '-k', dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(program('postgres'), args, { ...owner, cwd: dir, stdio: 'ignore' });
  process.once('exit', () => {
    server.kill('SIGINT');
    rmSync(dir, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const isReady = () =>
    run(program('pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port), '-U', 'bench', '-d', 'postgres']).then(
      () => true,
      () => false,
    );
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} before it was ready.`);
    await pause(100);
  }
  return {
    version,
    url: `postgresql://bench@127.0.0.1:${port}/postgres`,
    /** Runs SQL and returns what it prints. */
    async sql(text: string) {
      const psql = spawn(
        program('psql'),
        ['-q', '-At', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(port), '-U', 'bench', 'postgres'],
        {
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      psql.stdin.end(text);
      let printed = '';
      psql.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
      });
      const [code] = await once(psql, 'close');
      if (code !== 0) throw new Error(`psql ended with ${code}.`);
      return printed.trim();
    },
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; Debian creates a user for it. */
function ownerOfServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
