import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Permission, Scope } from '@mp/contracts/permissions';
import { createHealth } from '@mp/service-kit/health';
import { createMetrics } from '@mp/service-kit/metrics';
import type { Parts } from '@mp/service-kit/service-parts';
import { notePrepared } from '@mp/test-kit/test-databases';
import { testParts } from '@mp/test-kit/test-parts';
import { buildApp, type GatewayConfig } from '../src/app.ts';
import type { Timeouts } from '../src/proxy/forwarding/upstreams.ts';
import { configFolder, generatedRoutes } from '../src/proxy/routes/generated-config.ts';
import type { Route } from '../src/proxy/routes/route.ts';
import { type AccountRow, newAccount } from '../src/settings/accounts/account.ts';
import { newApiKey } from '../src/settings/api-keys/new-api-key.ts';
import { createStores } from '../src/settings/stores.ts';
import { newOwner, type UserRow } from '../src/settings/users/user.ts';
import { startFakeService } from './fake-service.ts';

const patient: Timeouts = { connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000, totalMs: 120_000 };

type Options = Partial<
  Pick<
    GatewayConfig,
    | 'accessLog'
    | 'now'
    | 'mailer'
    | 'trustedProxies'
    | 'headers'
    | 'routes'
    | 'dashboardFolder'
    | 'siteFolder'
    | 'publicUrl'
    | 'formsUrl'
    | 'services'
    | 'dns'
    | 'providerNetwork'
    | 'installationProviders'
    | 'allowHttpProviders'
  >
> & {
  /** The time-outs that a test waits for. All others are long enough for busy machines. */
  timeouts?: Partial<Timeouts>;
  /** Edits gateway.config.yml. */
  pipelines?: (file: string) => string;
  /** Whether events are published and received. */
  live?: boolean;
  /** The parts of another gateway, to start a second one on its database. The second must stop before the first. */
  parts?: Parts;
};

type KeyOptions = {
  permission?: Permission;
  scopes?: Scope[];
  ip_allow?: string[];
  expires_at?: Date;
  account?: AccountRow;
  plan?: AccountRow['plan'];
  daily_requests?: number;
};

/** `key: undefined` sends no key. */
export type RequestOptions = { key?: { authorization: string } | undefined; headers?: Record<string, string> };

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

const route = (method: Route['method'], path: string, scope: Route['scope'], body_limit = 1_048_576): Route => ({
  method,
  path,
  scope,
  body_limit,
  service: 'contacts',
});

/** The gateway's own routes and a few more, so that these tests do not depend on any service. */
export const testRoutes: readonly Route[] = [
  ...generatedRoutes().filter(({ service }) => service === 'gateway'),
  route('GET', '/v2/contacts', 'contacts:read'),
  route('POST', '/v2/contacts', 'contacts:write'),
  route('POST', '/v2/contacts/batch', 'contacts:write', 10_485_760),
  route('POST', '/v2/contacts/exports', 'contacts:export'),
  route('GET', '/v2/contacts/{id}', 'contacts:read'),
  route('PUT', '/v2/contacts/{id}', 'contacts:write'),
  route('DELETE', '/v2/contacts/{id}', 'contacts:write'),
  { ...route('POST', '/v2/campaigns/providers', 'campaigns:write'), outlives_grants: true },
];

/** A folder like `config/`, with an edited gateway.config.yml. */
export async function editedConfig(t: TestContext, edit: (file: string) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eg-'));
  t.after(() => rm(folder, { recursive: true }));
  await cp(configFolder, folder, { recursive: true });
  const path = join(folder, 'gateway.config.yml');
  await writeFile(path, edit(await readFile(path, 'utf8')));
  return folder;
}

/** A complete gateway on a socket, with its own database and one fake service behind `/v2/contacts`. */
export async function startTestGateway(t: TestContext, { live = false, timeouts, parts: others, pipelines, ...options }: Options = {}) {
  let stop = async () => {};
  // Hooks run in the order they were added: the gateway stops before its database and services.
  t.after(() => stop());
  const parts = others ? { ...others, metrics: createMetrics('gateway') } : await testParts(t, 'gateway');
  const service = await startFakeService(t);
  const gateway = buildApp(parts, {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://localhost:8080',
    services: { contacts: service.url, campaigns: service.url },
    trustedProxies: [],
    routes: testRoutes,
    timeouts: { ...patient, ...timeouts },
    ...(pipelines && { configFolder: await editedConfig(t, pipelines) }),
    ...options,
  });
  await gateway.prepare();
  await notePrepared(parts.mongo.db);
  // In the same order as runService.
  const health = createHealth(parts);
  health.addRoutes(gateway.app);
  health.serve(true);
  if (live) {
    parts.broker.start();
    parts.relay.start();
    await Promise.all((gateway.replies ?? []).map((respond) => respond()));
  }
  stop = async () => {
    stop = async () => {};
    await gateway.front.stop();
    await Promise.all((gateway.background ?? []).map((part) => part.stop()));
    await gateway.app.close();
    if (live) await parts.relay.stop();
  };
  const url = await gateway.front.start(await gateway.app.listen({ host: '127.0.0.1', port: 0 }));
  const stores = createStores(parts);

  async function makeAccount(plan: AccountRow['plan'] = 'enterprise', daily_requests: number | null = null) {
    return stores.accounts.ensure(newAccount({ name: `test ${Math.random()}`, plan, daily_requests }));
  }

  /** Creates a key and returns it; in a new account unless the test names one. */
  async function makeKey({ permission = 'admin', account, plan, daily_requests, ...wanted }: KeyOptions = {}) {
    const owner = account ?? (await makeAccount(plan, daily_requests ?? null));
    const { text, key } = newApiKey(owner.id, { name: 'test', permission, created_by: null, ...wanted });
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.apiKeys.insert(tx, key));
    return { text, key, account: owner, authorization: `Bearer ${text}` };
  }

  async function call(path: string, { key, ...init }: RequestInit & { key?: { authorization: string } | undefined } = {}) {
    const response = await fetch(url + path, { ...init, headers: { ...(key && { authorization: key.authorization }), ...init.headers } });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    const body = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body, error: body?.error, data: body?.data };
  }

  /** Sends JSON, or no body for GET and DELETE. */
  const send = (method: string, path: string, body: object = {}, { key, headers }: RequestOptions = {}) =>
    call(path, {
      key,
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method !== 'GET' && method !== 'DELETE' && { body: JSON.stringify(body) }),
    });

  /** The headers of a browser in which this user, or the account's owner, is signed in. */
  async function signIn(account: AccountRow, person?: UserRow): Promise<Record<string, string>> {
    const user = person ?? (await stores.users.ensureOwner(newOwner(account.id)));
    const response = await send('POST', '/auth/sign-in', { token: await stores.signInLinks.make(user) });
    const [cookie = ''] = response.headers.get('set-cookie')?.split(';', 1) ?? [];
    return { cookie, 'x-csrf-token': response.data.csrf_token };
  }

  /** The whole database as text, to check what is not stored. */
  async function everythingStored(): Promise<string> {
    const names = await parts.mongo.db.listCollections({}, { nameOnly: true }).toArray();
    const rows = await Promise.all(names.map(({ name }) => parts.mongo.db.collection(name).find().toArray()));
    return JSON.stringify(rows);
  }

  /** Writes what a gateway otherwise writes once a second. */
  const flushUsage = async () => {
    for (const part of gateway.background ?? []) await part.stop();
  };

  return {
    url,
    service,
    parts,
    stores,
    gateway,
    drain: () => gateway.front.drain(),
    stop: () => stop(),
    makeAccount,
    makeKey,
    call,
    send,
    signIn,
    everythingStored,
    flushUsage,
  };
}
