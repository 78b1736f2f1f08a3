import { execFile, spawn } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { startPostgres } from '../bench/postgres.ts';

const run = promisify(execFile);
const admin = { LISTMONK_ADMIN_USER: 'admin', LISTMONK_ADMIN_PASSWORD: 'listmonk-password', LISTMONK_ADMIN_API_USER: 'moving' };

/**
 * A checkout of github.com/knadh/listmonk in which `go build -o listmonk ./cmd` has run, with a `frontend/dist/index.html`, which may be
 * empty. Without it, tests that need listmonk are skipped.
 */
const checkout = process.env.LISTMONK_DIR;

/** Why listmonk cannot be started; undefined if it can. */
export const listmonkMissing: string | undefined =
  checkout === undefined
    ? 'LISTMONK_DIR does not name a checkout of listmonk with the built program'
    : await access(join(checkout, 'listmonk')).then(
        () => undefined,
        () => `${checkout} has no program listmonk: run go build -o listmonk ./cmd there`,
      );

type Test = { after: (cleanUp: () => Promise<void>) => void };

/** Starts listmonk on a PostgreSQL of its own, with a user of its API that may do everything. Undefined without PostgreSQL. */
export async function startListmonk(t: Test, folder: string) {
  const postgres = await startPostgres();
  if (!postgres || checkout === undefined) return undefined;
  t.after(postgres.stop);
  await postgres.sql('CREATE EXTENSION IF NOT EXISTS pgcrypto');
  const { port, hostname } = new URL(postgres.url);
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(folder, 'listmonk.toml');
  await writeFile(
    config,
    `[app]\naddress = "${address}"\n[db]\nhost = "${hostname}"\nport = ${port}\nuser = "bench"\npassword = "none"\ndatabase = "postgres"\nssl_mode = "disable"\nmax_open = 10\nmax_idle = 10\n`,
  );
  const options = { cwd: checkout, env: { ...process.env, ...admin } };
  const program = join(checkout, 'listmonk');
  const { stderr } = await run(program, ['--config', config, '--install', '--idempotent', '--yes'], options);
  const [, token] = /LISTMONK_ADMIN_API_TOKEN="([^"]+)"/.exec(stderr) ?? [];
  if (token === undefined) throw new Error(`listmonk printed no token: ${stderr}`);
  const server = spawn(program, ['--config', config], { ...options, stdio: 'ignore' });
  t.after(async () => void server.kill());
  const url = `http://${address}`;
  const key = `${admin.LISTMONK_ADMIN_API_USER}:${token}`;
  const headers = { authorization: `token ${key}`, 'content-type': 'application/json' };
  await eventually(async () => (await fetch(`${url}/api/lists`, { headers }).catch(() => undefined))?.ok);
  return {
    ...{ url, key, sql: postgres.sql },
    async post(path: string, body: object) {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`listmonk responds to ${path} with ${response.status}: ${await response.text()}`);
      return Object(await response.json()).data;
    },
    async put(path: string, body: object) {
      const response = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`listmonk responds to ${path} with ${response.status}: ${await response.text()}`);
    },
  };
}
