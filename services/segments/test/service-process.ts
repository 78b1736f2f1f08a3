import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { contextHeader, signContext } from '@mp/contracts/context';
import { newId } from '@mp/ids';
import { createParts } from '@mp/service-kit/parts';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys, cursorKeys } from '@mp/test-kit/parts';

type Cleanup = { after: (cleanUp: () => Promise<void>) => void };
type Infra = { mongoUrl: string; natsUrl: string };

const root = fileURLToPath(new URL('../../../', import.meta.url));
const namespace = `test_${process.pid}_${Date.now().toString(36)}`;
const keys = (fill: number) => `test:${Buffer.alloc(32, fill).toString('base64url')}`;

/** The segments service as a process of its own that can be killed, and what a test says to it and hears from it. */
export async function startSegments(t: Cleanup, { mongoUrl, natsUrl }: Infra) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const accountId = newId('account');
  const env = {
    ...process.env,
    NAMESPACE: namespace,
    MONGODB_URL: mongoUrl,
    NATS_URL: natsUrl,
    CONTEXT_KEYS: keys(1),
    CURSOR_KEYS: keys(2),
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: String(port),
  };
  const running = new Set<ChildProcess>();

  // The test's own end of the broker, and its own look into the service's database.
  const parts = createParts({
    name: 'segments',
    NAMESPACE: namespace,
    MONGODB_URL: mongoUrl,
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent',
    CONTEXT_KEYS: contextKeys,
    CURSOR_KEYS: cursorKeys,
  });
  parts.broker.start();
  t.after(async () => {
    await Promise.all([...running].map((child) => kill(child)));
    await parts.broker.stop();
    await parts.mongo.stop();
  });

  async function start(file = 'services/segments/src/main.ts', ...args: string[]): Promise<ChildProcess> {
    const child = spawn(process.execPath, [root + file, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    await eventually(async () => {
      // One that is made to die may be gone before it was seen alive.
      if (child.exitCode !== null || child.signalCode !== null) return true;
      return fetch(`${url}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    }, 60_000);
    return child;
  }

  async function call(method: string, path: string, body?: object) {
    const context = {
      account_id: accountId,
      principal_id: newId('key'),
      permission: 'read_write' as const,
      scopes: null,
      request_id: newId('request'),
      expires_at: Date.now() + 60_000,
    };
    const response = await fetch(url + path, {
      method,
      headers: { [contextHeader]: signContext(contextKeys, context, method, path), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: ReturnType<typeof JSON.parse> = await response.json();
    return { status: response.status, data: answer.data, error: answer.error };
  }

  return {
    accountId,
    parts,
    start,
    /** Starts a service that kills itself with SIGKILL right after its n-th commit with an event in it; `gone` waits for that. */
    async startDying(nth: number) {
      const child = await start('tests/dying-service.ts', 'segments', String(nth));
      return { gone: () => goneOf(child) };
    },
    kill,
    get: (path: string) => call('GET', path),
    post: (path: string, body: object) => call('POST', path, body),
    put: (path: string, body: object) => call('PUT', path, body),
    members: async (segmentId: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor = ''; ; ) {
        const { data } = await call('GET', `/v2/segments/${segmentId}/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
        ids.push(...data.items.map(({ id }: { id: string }) => id));
        if (!data.pagination.next_cursor) return ids;
        cursor = data.pagination.next_cursor;
      }
    },
  };
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL');
  await goneOf(child);
}

async function goneOf(child: ChildProcess) {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('A listening socket has a port.');
  return address.port;
}
