import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { createMongo } from '@mp/service-kit/mongo';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { containerHeap } from './container-heap.ts';

const keys = `bench:${Buffer.alloc(32, 7).toString('base64url')}`;
const keyring = parseKeyring(keys);
const root = fileURLToPath(new URL('..', import.meta.url));
const port = 4_901;
const namespace = `bench_${process.pid}`;

/** The contacts service in a separate process, so that its memory can be measured, with a database that is dropped at the end. */
export async function startContactsProcess(flags: readonly string[] = containerHeap) {
  const { MONGODB_URL = '', NATS_URL = '' } = process.env;
  const accountId = newId('account');
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...flags, `${root}services/contacts/src/main.ts`], {
    cwd: root,
    env: {
      ...process.env,
      NAMESPACE: namespace,
      CONTEXT_KEYS: keys,
      CURSOR_KEYS: keys,
      LINK_KEYS: keys,
      LOG_LEVEL: 'warn',
      PORT: String(port),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  while (
    !(await fetch(`${url}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false))
  )
    await sleep(100);

  async function call(method: string, path: string, body?: string, type = 'application/json') {
    const context = {
      account_id: accountId,
      principal_id: 'bench',
      permission: 'read_write' as const,
      scopes: null,
      request_id: 'req_bench000',
      expires_at: Date.now() + 60_000,
    };
    const headers = { [contextHeader]: signContext(keyring, context, method, path), 'content-type': type };
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    const reply: ReturnType<typeof JSON.parse> = await response.json();
    return reply.data;
  }

  const mongo = createMongo({ url: MONGODB_URL, database: `${namespace}_contacts`, service: 'bench' });
  return {
    db: mongo.db,
    call,
    residentBytes: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) * 1_024,
    async stop() {
      await end(child);
      await removeStreams(NATS_URL, namespace);
      await mongo.db.dropDatabase();
      await mongo.stop();
    },
  };
}

async function end(child: ChildProcess) {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}
