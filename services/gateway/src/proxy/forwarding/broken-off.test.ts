import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

/** As many failures in a row open the circuit, for a second. */
const failuresMax = 10;

test('what an answer that is broken off says about the service', async (t) => {
  const clock = { now: Date.now() };
  const { call, makeKey, service, url } = await startTestGateway(t, { now: () => clock.now });
  const key = await makeKey({ permission: 'read_write' });
  const ok = () => service.behave((_req, res) => res.writeHead(200).end('{}'));
  const get = `GET /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\n\r\n`;
  const status = async () => (await call('/v2/contacts', { key })).status;

  async function broken(times: number) {
    service.behave((_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.destroy());
    });
    for (let index = 0; index < times; index += 1) {
      await rawExchange(url, get);
    }
  }

  /** A client that asks and leaves, before an answer or in its middle; over once the service has seen it go. */
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

  await t.test('half answers open the circuit as no answer does', async () => {
    await broken(failuresMax);
    ok();
    const before = service.seen.length;
    assert.equal(await status(), 503);
    assert.equal(service.seen.length, before);
  });

  await t.test('the one that may try leaves: the circuit stays open, and the next may try', async () => {
    clock.now += 1_000;
    await leaves(false);
    ok();
    assert.equal(await status(), 503);
    clock.now += 1_000;
    assert.equal(await status(), 200);
    assert.equal(await status(), 200);
  });

  await t.test('clients that leave neither open it nor make up for failures', async () => {
    for (let index = 0; index < failuresMax; index += 1) await leaves(index % 2 === 0);
    ok();
    assert.equal(await status(), 200);
    await broken(failuresMax - 1);
    await leaves(false);
    await leaves(true);
    await broken(1);
    ok();
    assert.equal(await status(), 503);
  });
});
