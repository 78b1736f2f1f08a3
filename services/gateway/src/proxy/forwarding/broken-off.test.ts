import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

/** This many consecutive failures open the circuit for a second. */
const maxFailures = 10;

test('the circuit breaker and aborted responses', async (t) => {
  const clock = { now: Date.now() };
  const { call, makeKey, service, url } = await startTestGateway(t, { now: () => clock.now });
  const key = await makeKey({ permission: 'read_write' });
  const ok = () => service.behave((_req, res) => res.writeHead(200).end('{}'));
  const getBy = ({ authorization }: typeof key) => `GET /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
  const get = getBy(key);
  const ofAccounts = [get, getBy(await makeKey()), getBy(await makeKey())];
  const status = async () => (await call('/v2/contacts', { key })).status;

  async function broken(times: number) {
    service.behave((_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.destroy());
    });
    for (let index = 0; index < times; index += 1) {
      await rawExchange(url, ofAccounts[index % ofAccounts.length] ?? get);
    }
  }

  /** A client that leaves before or during the response. Resolves once the service has noticed. */
  async function leaves(midway: boolean) {
    const gone = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    service.behave((req, res) => {
      req.socket.once('close', () => gone.resolve());
      if (midway) res.writeHead(200, { 'content-length': 100 }).write('half');
      else begun.resolve();
    });
    const { hostname, port } = new URL(url);
    const client = connect(Number(port), hostname);
    client.write(get);
    await (midway ? once(client, 'data') : begun.promise);
    client.destroy();
    await gone.promise;
  }

  await t.test('incomplete responses of several accounts open the circuit, as missing ones do', async () => {
    await broken(maxFailures);
    ok();
    const before = service.seen.length;
    assert.equal(await status(), 503);
    assert.equal(service.seen.length, before);
  });

  await t.test('if the client of the trial request leaves, the circuit stays open and the next request may try', async () => {
    clock.now += 1_000;
    await leaves(false);
    ok();
    assert.equal(await status(), 503);
    clock.now += 1_000;
    assert.equal(await status(), 200);
    assert.equal(await status(), 200);
  });

  await t.test('clients that leave neither open the circuit nor reset its failures', async () => {
    for (let index = 0; index < maxFailures; index += 1) await leaves(index % 2 === 0);
    ok();
    assert.equal(await status(), 200);
    await broken(maxFailures - 1);
    await leaves(false);
    await leaves(true);
    await broken(1);
    ok();
    assert.equal(await status(), 503);
  });
});
