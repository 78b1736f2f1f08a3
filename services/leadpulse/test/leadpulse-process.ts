import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type CallContext, contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { freePort } from '@mp/local-infra/free-port';
import { acquireInfra } from '@mp/local-infra/infra';
import { signalServer } from '@mp/local-infra/signal-server';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';

const folderOf = (file: string) => new URL(`../${file}`, import.meta.url).pathname;

type Reply = { status: number; headers: Headers; body: ReturnType<typeof JSON.parse> };

/** Runs the service in a separate process with its own MongoDB and NATS, all of which can be killed. */
export async function startLeadpulse(t: TestContext) {
  for (const name of ['MONGODB_URL', 'NATS_URL']) delete process.env[name];
  const dir = await mkdtemp(join(tmpdir(), 'leadpulse-'));
  const infra = await acquireInfra({ dir });
  const mongo = await MongoClient.connect(infra.mongoUrl);
  // The transaction of a killed process locks its rows until MongoDB aborts it, after a minute by default.
  await mongo.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 3 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const keyring = parseKeyring(infra.env.CONTEXT_KEYS ?? '');
  let child: ChildProcess | undefined;

  const isGone = () => !child || child.exitCode !== null || child.signalCode !== null;
  const gone = () => new Promise<void>((resolve) => (isGone() ? resolve() : child?.once('exit', () => resolve())));

  async function start(file = 'src/main.ts', args: readonly string[] = []) {
    child = spawn(process.execPath, [folderOf(file), ...args], {
      env: { ...process.env, ...infra.env, PORT: String(port), LOG_LEVEL: 'silent' },
      stdio: 'ignore',
    });
    await eventually(
      async () =>
        isGone() ||
        (await fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )),
    );
  }

  t.after(async () => {
    child?.kill('SIGKILL');
    await gone();
    await mongo.close();
    await infra.release();
    await rm(dir, { recursive: true, force: true, maxRetries: 10 });
  });

  return {
    start,
    gone,
    db: mongo.db('leadpulse'),

    async kill() {
      child?.kill('SIGKILL');
      await gone();
    },

    /** Sends a signal to MongoDB; if it is killed, its keeper restarts it. */
    signalMongo: (signal: NodeJS.Signals) => signalServer(dir, 'mongodb', signal),

    signalNats: (signal: NodeJS.Signals) => signalServer(dir, 'nats', signal),

    /** Sends events as a page of the site does. Returns undefined if no response arrived. */
    async ingest({ publishable_key, origins }: { publishable_key: string; origins: readonly string[] }, events: readonly object[]) {
      try {
        const response = await fetch(`${url}/ingest/v1/events?key=${publishable_key}`, {
          method: 'POST',
          headers: { origin: origins[0] ?? '', 'content-type': 'text/plain' },
          body: JSON.stringify({ visitor_id: 'browser', events }),
        });
        const reply: Reply = { status: response.status, headers: response.headers, body: await response.json() };
        return reply;
      } catch {
        return undefined;
      }
    },

    /** A client of one account. Its calls return undefined if no response arrived. */
    client(accountId = newId('account')) {
      const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Reply | undefined> => {
        const context: CallContext = {
          account_id: accountId,
          principal_id: 'test',
          permission: 'read_write',
          scopes: null,
          request_id: newId('request'),
          expires_at: Date.now() + 60_000,
        };
        const headers = { [contextHeader]: signContext(keyring, context, method, path), 'content-type': 'application/json' };
        try {
          const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
          return { status: response.status, headers: response.headers, body: await response.json() };
        } catch {
          return undefined;
        }
      };
      return { accountId, get: (path: string) => call('GET', path), post: (path: string, body: object) => call('POST', path, body) };
    },
  };
}
