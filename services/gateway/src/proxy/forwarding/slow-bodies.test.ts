import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { slowClients, standStill, trickle } from '../../../test/slow-clients.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { maxConnections } from './upstreams.ts';

/** More than the connections of a service. slow-bodies.faults.test.ts has 2,000 of each kind. */
const slow = maxConnections + 12;

test('slow clients, with and without a credential, do not block other requests', async (t) => {
  const { url, call, send, makeKey, service } = await startTestGateway(t, { timeouts: { headersMs: 5_000 } });
  const key = await makeKey();
  const theirs = await makeKey();
  const large = Buffer.alloc(32 * 2 ** 20);
  service.behave((req, res) => res.writeHead(200).end(req.url === '/v2/contacts/large' ? large : '{}'));

  const served = async () => {
    const responses = await Promise.all([
      call('/v2/me', { key }),
      call('/v2/contacts', { key }),
      send('POST', '/v2/contacts', { email: 'ada@example.com' }, { key }),
      send('POST', '/v2/contacts/batch', { contacts: [] }, { key }),
      call('/openapi.json'),
      call('/health/live'),
      call('/health/ready'),
      call('/t/x'),
      call('/.well-known/oauth-authorization-server'),
    ]);
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map(() => 200),
    );
    assert.equal(
      (await call('/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) })).status,
      401,
    );
    assert.equal((await send('POST', '/auth/sign-in', { token: 'unknown' })).status, 401);
  };

  for (const [kind, client] of Object.entries(slowClients(theirs.authorization))) {
    await t.test(`${slow} that send ${kind}`, async (t) => {
      t.after(await trickle(url, slow, client, 200));
      await served();
    });
  }

  for (const [kind, target, headers] of [
    ['a public document', '/openapi.json', ''],
    ['something of their account', '/v2/contacts/large', `authorization: ${theirs.authorization}\r\n`],
  ] as const) {
    await t.test(`${slow} that ask for ${kind} and do not read it`, async (t) => {
      t.after(await standStill(url, slow, target, headers));
      await served();
    });
  }
});

test('frees the memory of a body whenever its client disconnects', async (t) => {
  const { url, makeKey, makeAccount, parts } = await startTestGateway(t);
  const { hostname, port } = new URL(url);
  const held = async () => /gateway_request_body_bytes\{[^}]*\} (\d+)/.exec(await parts.metrics.registry.metrics())?.[1];
  const begin = (authorization: string) =>
    `POST /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 70000\r\n\r\n${'x'.repeat(1_000)}`;

  const clients = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      // The key is looked up first, so half of the clients leave before their body is read.
      const { authorization } = await makeKey({ account: await makeAccount() });
      const client = connect(Number(port), hostname);
      client.on('error', () => undefined).write(begin(authorization), () => index % 2 === 0 && client.destroy());
      return client;
    }),
  );
  await eventually(async () => Number(await held()) > 0);
  for (const client of clients) client.destroy();
  await eventually(async () => (await held()) === '0');
});

test('a body that arrives with its headers is read synchronously', async (t) => {
  const { send, makeKey, service } = await startTestGateway(t);
  const key = await makeKey();
  await send('POST', '/v2/contacts', {}, { key });
  const iterator = t.mock.method(IncomingMessage.prototype, 'iterator');
  service.seen.length = 0;
  assert.equal((await send('POST', '/v2/contacts', { email: 'ada@example.com' }, { key })).status, 200);
  assert.equal(service.last()?.body, '{"email":"ada@example.com"}');
  assert.equal(iterator.mock.callCount(), 0);
});
