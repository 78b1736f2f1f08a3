import { type ChildProcess, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { contextHeader, signContext } from '@mp/contracts/context';
import { newId } from '@mp/ids';
import { freePort } from '@mp/local-infra/free-port';
import { createParts } from '@mp/service-kit/service-parts';
import { eventually } from './eventually.ts';
import { contextKeys, cursorKeys, testNamespace } from './test-parts.ts';
import { writtenEvents } from './written-events.ts';

type Infra = { mongoUrl: string; natsUrl: string };

const root = fileURLToPath(new URL('../../../', import.meta.url));
const keys = (fill: number) => `test:${Buffer.alloc(32, fill).toString('base64url')}`;

/** Runs a service in its own process, which the test can call, observe and kill. */
export async function startServiceProcess(t: TestContext, name: 'contacts' | 'segments', { mongoUrl, natsUrl }: Infra) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const accountId = newId('account');
  const env = {
    ...process.env,
    NAMESPACE: testNamespace,
    MONGODB_URL: mongoUrl,
    NATS_URL: natsUrl,
    CONTEXT_KEYS: keys(1),
    CURSOR_KEYS: keys(2),
    LINK_KEYS: keys(1),
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: String(port),
  };
  const running = new Set<ChildProcess>();

  // The test's own connections to NATS and to the service's database.
  const parts = createParts({
    name,
    NAMESPACE: testNamespace,
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

  async function start(file = `services/${name}/src/main.ts`, ...args: string[]): Promise<ChildProcess> {
    const child = spawn(process.execPath, [root + file, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    await eventually(async () => {
      // A process that kills itself may end before it was seen ready.
      if (child.exitCode !== null || child.signalCode !== null) return true;
      return fetch(`${url}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    return child;
  }

  /** The status is 0 when the connection broke; the request may have taken effect. */
  async function call(method: string, path: string, body?: object | string, type = 'application/json') {
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
      headers: { [contextHeader]: signContext(contextKeys, context, method, path), 'content-type': type },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch(() => undefined);
    const text = (await response?.text().catch(() => '')) ?? '';
    const parsed: ReturnType<typeof JSON.parse> = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response?.status ?? 0, data: parsed.data, error: parsed.error, text };
  }

  return {
    accountId,
    parts,
    start,
    /** Starts a service that kills itself with SIGKILL right after its n-th `after`, see tests/dying-service.ts; `gone` waits for it. */
    async startDying(nth: number, after: 'commit' | 'removal' | 'stream' = 'commit') {
      const child = await start('tests/dying-service.ts', name, String(nth), after);
      return { gone: () => goneOf(child) };
    },
    kill,
    get: (path: string) => call('GET', path),
    post: (path: string, body: object | string = {}, type?: string) => call('POST', path, body, type),
    put: (path: string, body: object) => call('PUT', path, body),
    /** The number of events of this type in the outbox. */
    published: async (subject: string) => (await writtenEvents(parts.mongo.db, { accountId, subject })).length,
  };
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL');
  await goneOf(child);
}

async function goneOf(child: ChildProcess) {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
}
