import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawResponses } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

const size = 15_000_000;
const piece = Buffer.alloc(1_000_000, 122);

/** The service responds from the headers alone, for example because it knows the Idempotency-Key. */
test('a client that writes its whole file before it reads gets an early response', async (t) => {
  const { makeKey, service, url } = await startTestGateway(t, {
    routes: [{ method: 'POST', path: '/v2/contacts/imports', scope: 'contacts:write', body_limit: size, service: 'contacts' }],
  });
  const { authorization } = await makeKey({ permission: 'read_write' });
  service.beforeBody((_req, res) => res.writeHead(409, { 'content-type': 'application/json', 'content-length': 2 }).end('{}'));

  /** Writes everything before it reads anything. */
  async function upload(headers: string, next = '', key = authorization) {
    const { hostname, port } = new URL(url);
    const client = connect(Number(port), hostname).pause();
    const failed = once(client, 'error').then(([error]) => Promise.reject(error));
    const write = (bytes: string | Buffer) => new Promise<void>((resolve) => client.write(bytes, () => resolve()));
    const head = `POST /v2/contacts/imports HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\ncontent-type: text/csv\r\n${headers}`;
    const sending = async () => {
      await write(`${head}content-length: ${size}\r\n\r\n`);
      for (let sent = 0; sent < size; sent += piece.length) await write(piece);
      await write(next);
      let text = '';
      client.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      client.resume();
      await once(client, 'end');
      return rawResponses(text).map(({ status }) => status);
    };
    try {
      return await Promise.race([sending(), failed]);
    } finally {
      client.destroy();
    }
  }

  await t.test('the client can use its connection for the next request', async () => {
    const next = 'GET /v2/contacts/imports HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    assert.deepEqual(await upload('', next), [409, 401]);
  });

  await t.test('the client gets it even if it requested to close the connection', async () => {
    assert.deepEqual(await upload('connection: close\r\n'), [409]);
  });

  await t.test('the client gets it even if the gateway itself rejects the request', async () => {
    assert.deepEqual(await upload('connection: close\r\n', '', 'Bearer wrong'), [401]);
  });
});
