import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Parts } from '@mp/service-kit/service-parts';
import { rawExchange, rawResponses } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Timeouts } from '../forwarding/upstreams.ts';

const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** The service sends incomplete or invalid responses, as raw bytes. */
test('an incomplete response never looks complete to the client', async (t) => {
  let behave: (socket: Socket) => void = (socket) => socket.end(whole);
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  /** Starts a gateway in front of the service and returns what a client of it receives. */
  async function startListener(t: TestContext, timeouts: Partial<Timeouts> = {}, others?: Parts) {
    const services = { contacts: `http://127.0.0.1:${port}` };
    const { url, makeKey, parts } = await startTestGateway(t, { timeouts, services, ...(others && { parts: others }) });
    const key = await makeKey();
    const request = (method: string) =>
      rawExchange(
        url,
        `${method} /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      );
    const exchange = (method: string, bytes: string, then: 'end' | 'stall' = 'end') => {
      behave = (socket) => (then === 'end' ? socket.end(bytes) : socket.write(bytes));
      return request(method);
    };
    return { parts, request, exchange };
  }
  const patient = await startListener(t);
  const { request: send, exchange } = patient;

  /** A success in between, because ten consecutive failures would open the circuit. */
  const recover = async () => assert.match(await exchange('GET', whole), /^HTTP\/1\.1 200 OK\r\n/);

  await t.test('502 if it ends within its headers or is not HTTP, and writes are not retried', async () => {
    for (const bytes of [
      '',
      'HTTP/1.1 2',
      'HTTP/1.1 200 OK\r\ncontent-le',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n',
      'nonsense\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      `HTTP/1.1 200 OK\r\nx-big: ${'a'.repeat(100_000)}\r\n\r\n`,
    ]) {
      const before = connections;
      const [response] = rawResponses(await exchange('POST', bytes));
      const shown = JSON.stringify(bytes.slice(0, 60));
      assert.equal(response?.status, 502, shown);
      assert.equal(JSON.parse(response.body).error.code, 'UPSTREAM_ERROR', shown);
      assert.equal(connections - before, 1, shown);
    }
  });

  await t.test('504 if it stalls within its headers', async (t) => {
    const impatient = await startListener(t, { headersMs: 300 }, patient.parts);
    const [response] = rawResponses(await impatient.exchange('POST', 'HTTP/1.1 200 OK\r\ncontent-le', 'stall'));
    assert.equal(response?.status, 504);
    assert.equal(JSON.parse(response.body).error.code, 'UPSTREAM_TIMEOUT');
  });

  await t.test('the connection is closed if it ends or stalls within its body', async (t) => {
    await recover();
    const impatient = await startListener(t, { bodyMs: 300 }, patient.parts);
    for (const then of ['end', 'stall'] as const) {
      const door = then === 'end' ? patient : impatient;
      const counted = await door.exchange('GET', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', then);
      assert.match(counted, /content-length: 100\r\n[\s\S]*\r\n\r\nhalf$/);
      const inChunk = await door.exchange('GET', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nha', then);
      const atChunk = await door.exchange('GET', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', then);
      for (const chunked of [inChunk, atChunk]) {
        assert.match(chunked, /ha(lf)?/);
        assert.doesNotMatch(chunked, /0\r\n\r\n$/, 'the final chunk is not sent');
      }
    }
  });

  await t.test('bytes after a response are discarded', async () => {
    await recover();
    const smuggled = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsmuggled';
    for (let index = 0; index < 3; index += 1) {
      behave = (socket) => socket.write(whole + smuggled);
      const text = await send('GET');
      assert.doesNotMatch(text, /smuggled/);
      behave = (socket) => socket.write(whole);
      const [next, ...more] = rawResponses(await send('GET'));
      assert.deepEqual([next?.status, next?.body, more.length], [200, '{}', 0]);
    }
  });

  await t.test('informational responses are not the response', async () => {
    await recover();
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n';
    const text = await exchange('GET', early + whole);
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  });
});
