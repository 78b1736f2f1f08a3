import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '..', 'examples');

/** Starts a server of an example and waits until it prints that it is ready. */
async function start(t: TestContext, file: string, env: Record<string, string>) {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [join(examples, file)], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  const post = (path: string, body: object) => fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  await eventually(async () => /^ready$/m.test(text));
  return { url, post, child };
}

/** A platform that accepts connections and never responds. */
async function startSilent(t: TestContext) {
  const calls = { begun: 0, ended: 0 };
  const server = createServer((socket) => {
    calls.begun += 1;
    socket
      .on('error', () => undefined)
      .once('close', () => {
        calls.ended += 1;
      });
    socket.resume();
  });
  t.after(() => server.close());
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${port}`, calls };
}

test('the examples do what they say, on a running platform', async (t) => {
  const platform = await startPlatform(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const account = async (name: string) => {
    const client = await platform.client('--permission', 'admin', '--account', name);
    await client.put('/v2/contacts/settings', { default_consent: 'pending' });
    return { client, env: { MP_BASE_URL: platform.url, MP_API_KEY: client.key ?? '' } };
  };

  await t.test('the shop tracks carts and orders, and sends one receipt for an order', async (t) => {
    const { client, env } = await account('shop');
    const shop = await start(t, 'shop/shop.ts', { ...env, SHOP_DATABASE: ':memory:' });
    assert.equal((await shop.post('/cart', { email: 'ada@example.com', product: 'engine' })).status, 200);
    const order = { id: 'A-1', email: 'ada@example.com', amount: 49, currency: 'EUR' };
    for (const _ of [1, 2]) assert.equal((await shop.post('/orders', order)).status, 200);
    assert.equal((await shop.post('/orders', { id: 'A-2' })).status, 400);
    assert.equal((await shop.post('/orders', { ...order, id: 'A-3', amount: 'abc' })).status, 400);
    await eventually(async () => {
      const { items } = (await client.get('/v2/campaigns/messages')).data;
      return items.length === 1 && items[0].status === 'sent' && JSON.stringify(items[0].data) === '{"id":"A-1","total":"49.00 EUR"}';
    });
    await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/events')).data;
      const names = items.map((item: { event: string }) => item.event).sort();
      return names.join() === 'added_to_cart,order_placed' && items.every((item: { contact_id: string | null }) => item.contact_id);
    });
    assert.equal((await client.get('/v2/contacts')).data.items[0].consent.email.status, 'pending');
  });

  await t.test(
    'a shop without the platform keeps no customer waiting, and sends later what it could not, even after kill -9',
    async (t) => {
      const { client, env } = await account('cut-off');
      const folder = await mkdtemp(join(tmpdir(), 'shop-'));
      t.after(() => rm(folder, { recursive: true }));
      const shopWith = (MP_BASE_URL: string) => start(t, 'shop/shop.ts', { ...env, SHOP_DATABASE: join(folder, 'shop.db'), MP_BASE_URL });
      const order = (id: string) => ({ id, email: 'ada@example.com', amount: 49, currency: 'EUR' });
      const kill = async ({ child }: Awaited<ReturnType<typeof start>>) => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };

      const silent = await startSilent(t);
      const waiting = await shopWith(silent.url);
      assert.equal((await waiting.post('/orders', order('B-1'))).status, 200);
      await eventually(async () => silent.calls.begun > 0);
      assert.equal((await waiting.post('/orders', order('B-2'))).status, 200);
      assert.equal(silent.calls.ended, 0, 'the customer did not wait for the end of a call');
      await kill(waiting);

      const alone = await shopWith(`http://127.0.0.1:${await freePort()}`);
      assert.equal((await alone.post('/orders', order('B-3'))).status, 200);
      await kill(alone);

      const connected = await shopWith(platform.url);
      assert.equal((await connected.post('/orders', order('B-1'))).status, 200);
      assert.equal((await connected.post('/orders', order('B-4'))).status, 200);
      const all = 'B-1,B-2,B-3,B-4';
      await eventually(async () => {
        const { items } = (await client.get('/v2/campaigns/messages')).data;
        return (
          items
            .map(({ data }: { data: { id: string } }) => data.id)
            .sort()
            .join() === all
        );
      });
      await eventually(async () => {
        const { items } = (await client.get('/v2/leadpulse/events')).data;
        return (
          items
            .map(({ properties }: { properties: { order: string } }) => properties.order)
            .sort()
            .join() === all
        );
      });
    },
  );

  await t.test('the sign-up creates a contact once, with the consent that was given', async () => {
    const { client, env } = await account('signup');
    // The module reads the environment when it is loaded, so it is loaded in a process of its own.
    const program = `
      import { POST } from ${JSON.stringify(join(examples, 'signup/route.ts'))};
      for (const fields of [{ email: 'ada@example.com', first_name: 'Ada', newsletter: 'on' }, { email: 'ada@example.com' }, { email: 'bob@example.com' }, { email: 'wrong' }]) {
        const response = await POST(new Request('https://example.com/signup', { method: 'POST', body: new URLSearchParams(fields) }));
        console.log(response.status, (await response.json()).ok);
      }`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, ...env } });
    assert.equal(stdout, '200 true\n200 true\n200 true\n400 false\n');
    const { items } = (await client.get('/v2/contacts?sort=created_at')).data;
    const { email } = items[0].consent;
    assert.deepEqual([items.length, items[0].first_name, email.status, email.method], [2, 'Ada', 'subscribed', 'form']);
    assert.equal(items[1].consent.email.status, 'pending');
    const log = (await client.get(`/v2/contacts/${items[0].id}/consent/log`)).data.items;
    assert.equal(log[0].evidence.text, 'Yes, send me the newsletter once a month.');
  });

  await t.test('the sync brings every customer once, with new addresses and withdrawals, and names those that it cannot', async (t) => {
    const python = await run('python3', ['-c', 'import sqlite3']).catch(() => undefined);
    if (!python) return t.skip('python3 with sqlite3 is not installed');
    const { client, env } = await account('sync');
    const folder = await mkdtemp(join(tmpdir(), 'sync-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'shop.db');
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE customers (id INTEGER, email TEXT, name TEXT, plan TEXT, agreed_at TEXT, withdrawn_at TEXT)');
    const insert = database.prepare('INSERT INTO customers VALUES (?, ?, ?, ?, ?, NULL)');
    for (let id = 1; id <= 1_001; id++)
      insert.run(id, `customer${id}@example.com`, `Customer ${id}`, 'pro', id === 1 || id === 3 ? '2026-01-15T09:30:00Z' : null);
    database.close();
    const change = (sql: string) => {
      const reopened = new DatabaseSync(file);
      reopened.exec(sql);
      reopened.close();
    };
    const sync = (...matchOn: string[]) =>
      run('python3', [join(examples, 'batch-sync/sync.py'), file, ...matchOn], { env: { ...process.env, ...env } });
    assert.deepEqual(JSON.parse((await sync()).stdout), { created: 1_001, updated: 0, unchanged: 0, error: 0 });
    const [first] = (await client.get('/v2/contacts?external_id=1')).data.items;
    assert.equal(first.consent.email.status, 'subscribed');
    await client.put(`/v2/contacts/${first.id}/consent`, { email: { status: 'unsubscribed' } });
    assert.deepEqual(JSON.parse((await sync()).stdout), { created: 0, updated: 0, unchanged: 1_001, error: 0 });
    assert.equal((await client.get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count, 1_001);
    assert.equal((await client.get(`/v2/contacts/${first.id}/consent`)).data.email.status, 'unsubscribed');
    assert.equal((await client.get('/v2/contacts?external_id=2')).data.items[0].consent.email.status, 'pending');

    change("UPDATE customers SET withdrawn_at = '2026-03-01T18:00:00Z' WHERE id = 3");
    change("UPDATE customers SET email = 'new4@example.com' WHERE id = 4");
    assert.deepEqual(JSON.parse((await sync()).stdout), { created: 0, updated: 2, unchanged: 999, error: 0 });
    assert.equal((await client.get('/v2/contacts?external_id=3')).data.items[0].consent.email.status, 'unsubscribed');
    assert.equal((await client.get('/v2/contacts?external_id=4')).data.items[0].email, 'new4@example.com');

    await client.post('/v2/contacts', { email: 'buyer@example.com' });
    change("INSERT INTO customers VALUES (1002, 'buyer@example.com', 'Buyer', 'pro', NULL, NULL)");
    change("UPDATE customers SET email = 'wrong' WHERE id = 7");
    const failed = await sync().catch((error: { code: number; stderr: string }) => error);
    assert.ok('code' in failed && failed.code === 1);
    assert.match(failed.stderr, /^7 .*\n1002 Another contact already has this email/);
    await sync('email').catch(() => undefined);
    assert.equal((await client.get('/v2/contacts?email=buyer@example.com')).data.items[0].external_id, '1002');
  });

  await t.test(
    'the receiver keeps each signed delivery once, including one whose work failed at first and after it was killed, and nothing else',
    async (t) => {
      const { client, env } = await account('receiver');
      const port = await freePort();
      const webhook = await client.post('/v2/webhooks', { url: `http://127.0.0.1:${port}/hook`, events: ['contact.created'] });
      const { id, secret } = webhook.data;
      const folder = join(await mkdtemp(join(tmpdir(), 'receiver-')), 'missing');
      t.after(() => rm(dirname(folder), { recursive: true }));
      const EVENTS_FILE = join(folder, 'events.ndjson');
      const receiver = await start(t, 'webhook-receiver/receiver.ts', { ...env, WEBHOOK_SECRET: secret, EVENTS_FILE });
      await client.put(`/v2/webhooks/${id}`, { url: `${receiver.url}/hook` });
      await client.post('/v2/contacts', { email: 'ada@example.com' });
      const delivery = async () => {
        const [latest] = (await client.get(`/v2/webhooks/${id}/deliveries`)).data.items;
        return latest && (await client.get(`/v2/webhooks/deliveries/${latest.id}`)).data;
      };
      const failed = await eventually(async () => {
        const found = await delivery();
        return found?.attempts.length > 0 && found;
      });
      assert.equal(failed.attempts[0].status_code, 500);
      await mkdir(folder);
      const at = String(Math.floor(Date.now() / 1_000));
      const body = '{"type":"contact.created","data":{}}';
      const forged = {
        'webhook-id': 'forged',
        'webhook-timestamp': at,
        'webhook-signature': `v1,${createHmac('sha256', 'x').update(body).digest('base64')}`,
      };
      assert.equal((await fetch(receiver.url, { method: 'POST', headers: forged, body })).status, 401);
      const replay = async () => {
        const { length } = (await delivery()).attempts;
        await client.post(`/v2/webhooks/deliveries/${failed.id}/replay`);
        await eventually(async () => {
          const { status, attempts } = await delivery();
          return attempts.length > length && status === 'delivered';
        });
      };
      const kept = async () =>
        (await readFile(EVENTS_FILE, 'utf8'))
          .split('\n')
          .flatMap((line) => /"contact\.created".*"(\w+)@example\.com".*}$/.exec(line)?.[1] ?? []);
      await replay();
      await replay();
      assert.deepEqual(await kept(), ['ada']);

      receiver.child.kill('SIGKILL');
      await once(receiver.child, 'exit');
      await appendFile(EVENTS_FILE, '\n{"id": "incom');
      const next = await start(t, 'webhook-receiver/receiver.ts', { ...env, WEBHOOK_SECRET: secret, EVENTS_FILE });
      await client.put(`/v2/webhooks/${id}`, { url: `${next.url}/hook` });
      await replay();
      assert.deepEqual(await kept(), ['ada']);
      await client.post('/v2/contacts', { email: 'grace@example.com' });
      await eventually(async () => (await kept()).join() === 'ada,grace');
    },
  );
});
