import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createGuardedRequests, type GuardConfig } from '@mp/guarded-requests/guarded-request';
import { trustedId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { storedRun } from '../../test/stored-run.ts';
import { webhookKeys } from '../../test/webhook-keys.ts';
import { buildApp } from '../app.ts';
import { createSendWebhook, webhookSecret } from './send-webhook.ts';

const now = new Date('2026-05-01T10:00:00.000Z');
const run = storedRun({ order: 7, name: 'Ada' });

type Received = { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders; body: string };

async function receiver(t: TestContext, reply: RequestListener = (_, response) => response.end('thanks')) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ method: request.method, url: request.url, headers: request.headers, body });
    reply(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { received, port, url: `http://127.0.0.1:${port}` };
}

function caller(t: TestContext, options: Partial<GuardConfig> = {}) {
  const requests = createGuardedRequests({ allowPrivate: true, ...options });
  const sendWebhook = createSendWebhook({ keys: webhookKeys, clock: () => now, send: requests.send });
  t.after(() => requests.stop());
  return (
    call: { url: string; method?: string; body?: unknown; headers?: Record<string, string> },
    stopping = new AbortController().signal,
  ) => sendWebhook(run, { type: 'webhook', key: 'run_1:3', call: { method: 'POST', headers: {}, body: undefined, ...call } }, stopping);
}

test('a webhook', async (t) => {
  await t.test('carries a signature that verifies with the secret of the account', async (t) => {
    const { received, url } = await receiver(t);
    const outcome = await caller(t)({ url: `${url}/in?x=1`, headers: { 'X-Mine': 'a' } });
    assert.deepEqual([outcome.ok, outcome.status, outcome.detail], [true, 200, 'Responded with 200. thanks']);
    const [call] = received;
    assert.ok(call);
    assert.deepEqual(
      [call.method, call.url, call.headers['x-mine'], call.headers['content-type']],
      ['POST', '/in?x=1', 'a', 'application/json'],
    );
    assert.deepEqual([call.headers['webhook-id'], call.headers['webhook-timestamp']], ['run_1:3', String(now.getTime() / 1_000)]);
    const secret = Buffer.from(webhookSecret(webhookKeys, trustedId<'account'>('account_1')).replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', secret)
      .update(`run_1:3.${now.getTime() / 1_000}.${call.body}`)
      .digest('base64');
    assert.equal(call.headers['webhook-signature'], `v1,${signature}`);
    assert.notEqual(
      webhookSecret(webhookKeys, trustedId<'account'>('account_2')),
      webhookSecret(webhookKeys, trustedId<'account'>('account_1')),
    );
    assert.deepEqual(JSON.parse(call.body), {
      id: 'run_1:3',
      run_id: 'run_1',
      workflow_id: 'workflow_1',
      workflow_name: 'W',
      contact_id: 'contact_1',
      step_id: 'hook',
      data: { order: 7, name: 'Ada' },
    });
  });

  await t.test('fills placeholders in its body, and keeps the type of a value that is the whole string', async (t) => {
    const { received, url } = await receiver(t);
    const body = { who: '{{ contact.id }}', list: ['{{data.order}}', 'Hello {{ data.name }}, {{ data.none }}!'], 'a.$b': null };
    await caller(t)({ url, body, method: 'PUT' });
    assert.deepEqual(JSON.parse(received[0]?.body ?? ''), { who: 'contact_1', list: [7, 'Hello Ada, !'], 'a.$b': null });
    await caller(t)({ url, method: 'GET' });
    assert.deepEqual([received[1]?.method, received[1]?.body], ['GET', '']);
  });

  await t.test('does not follow redirects', async (t) => {
    const { received, url } = await receiver(t, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    const outcome = await caller(t)({ url });
    assert.deepEqual([outcome.ok, outcome.retry, outcome.status, received.length], [false, false, 302, 1]);
    assert.match(outcome.detail, /Redirects are not followed/);
  });

  await t.test('is retried after temporary failures and not after a rejection', async (t) => {
    for (const [status, retry] of [
      [500, true],
      [503, true],
      [429, true],
      [408, true],
      [400, false],
      [404, false],
      [410, false],
    ] as const) {
      const { url } = await receiver(t, (_, response) => response.writeHead(status).end());
      assert.deepEqual(await caller(t)({ url }).then((outcome) => [outcome.ok, outcome.retry, outcome.status]), [false, retry, status]);
    }
    const { url } = await receiver(t, (request) => request.socket.destroy());
    assert.deepEqual(await caller(t)({ url }).then((outcome) => [outcome.ok, outcome.retry, outcome.status]), [false, true, null]);
  });

  await t.test('keeps the first 2 KiB of a response and does not wait for the rest', async (t) => {
    const { url } = await receiver(t, (_, response) => {
      response.write('x'.repeat(100_000));
    });
    const outcome = await caller(t)({ url });
    assert.deepEqual([outcome.ok, outcome.detail.length], [true, 'Responded with 200. '.length + 2_048]);
  });

  await t.test('is aborted when the service stops', async (t) => {
    const stopping = new AbortController();
    const { url } = await receiver(t, () => stopping.abort());
    assert.deepEqual(await caller(t)({ url }, stopping.signal).then(({ ok, retry }) => [ok, retry]), [false, true]);
  });

  await t.test('is not sent when its body is larger than 256 KiB', async (t) => {
    const { received, url } = await receiver(t);
    const outcome = await caller(t)({ url, body: 'x'.repeat(256 * 1_024) });
    assert.deepEqual([outcome.ok, outcome.retry, received.length], [false, false, 0]);
  });

  await t.test('never connects to a private address, even if the name resolves to one only at the time of the call', async (t) => {
    const { received, port } = await receiver(t);
    const responses = [['1.1.1.1'], ['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['169.254.169.254'], ['::1'], ['::ffff:10.0.0.1']];
    for (const addresses of responses.slice(1)) {
      const call = caller(t, {
        allowPrivate: false,
        resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      });
      const outcome = await call({ url: `http://rebind.example.com:${port}/` });
      // Tried again like a name that does not exist, so that the attempts do not tell either which of them exists.
      assert.deepEqual([outcome.ok, outcome.retry], [false, true], addresses.join());
      assert.match(outcome.detail, /not resolve to a public address/);
      for (const address of addresses) assert.ok(!outcome.detail.includes(address), outcome.detail);
    }
    const literal = await caller(t, { allowPrivate: false })({ url: `http://127.0.0.1:${port}/` });
    assert.match(literal.detail, /not a public address/);
    assert.equal(received.length, 0);
  });

  await t.test('reports why there was no response without revealing the address', async (t) => {
    const { port } = await receiver(t);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const refused = await caller(t, { resolve })({ url: 'http://named.example.com:9/' });
    assert.deepEqual([refused.ok, refused.retry, refused.detail], [false, true, 'No response: the connection was refused.']);
    const silent = await caller(t, { resolve, timeoutMs: 50 })({ url: `https://named.example.com:${port}/` });
    assert.deepEqual([silent.ok, silent.retry], [false, true]);
    const unknown = await caller(t, {
      resolve: () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND 10.0.0.53'), { code: 'ENOTFOUND' })),
    })({ url: 'http://nowhere.example.com/' });
    assert.equal(unknown.detail, 'No response: the host name does not exist.');
    for (const { detail } of [refused, silent, unknown]) assert.doesNotMatch(detail, /\d+\.\d+\.\d+/);
  });

  await t.test('connects to the address that was checked: the name is resolved only once', async (t) => {
    const { received, port } = await receiver(t);
    let requests = 0;
    const resolve = async () => {
      requests += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const outcome = await caller(t, { resolve })({ url: `http://named.example.com:${port}/` });
    assert.deepEqual([outcome.ok, requests, received[0]?.headers.host], [true, 1, `named.example.com:${port}`]);
  });

  await t.test('cannot be allowed into the internal network in production', async (t) => {
    const parts = await testParts(t, 'workflows');
    assert.throws(
      () => buildApp(parts, { NODE_ENV: 'production', WEBHOOK_KEYS: webhookKeys, WEBHOOK_ALLOW_PRIVATE: true }),
      /not allowed in production/,
    );
  });
});
