import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { maxConnections } from './upstreams.ts';

test('a request that waits too long for a connection is rejected and never sent', async (t) => {
  for (const [timeouts, status] of [
    [{ headersMs: 2_000 }, 503],
    [{ totalMs: 2_000 }, 504],
  ] as const) {
    await t.test(`${Object.keys(timeouts)}: ${status}`, async (t) => {
      const { call, makeKey, service, parts, url } = await startTestGateway(t, { timeouts });
      const key = await makeKey();
      const held: ServerResponse[] = [];
      /** Responses begin, so that no time-out applies, but do not end. */
      service.behave((_req, res) => {
        res.writeHead(200).write('{');
        held.push(res);
        // An occasional piece keeps the responses from timing out.
        const more = setInterval(() => res.write(' '), 100);
        res.once('close', () => clearInterval(more));
      });
      const answers = Array.from({ length: maxConnections }, () => call('/v2/contacts', { key }));
      await eventually(async () => held.length === maxConnections);
      assert.equal((await call('/v2/contacts/waits', { key })).status, status);
      const told = (line: string) => eventually(async () => (await parts.metrics.registry.metrics()).includes(line));
      const { hostname, port } = new URL(url);
      const leaving = connect(Number(port), hostname);
      leaving.write(`GET /v2/contacts/leaves HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\n\r\n`);
      await told('gateway_waiting_requests{upstream="contacts",service="gateway"} 2');
      leaving.destroy();
      await told('gateway_request_duration_seconds_count{service="gateway",route_class="contacts:read"} 2');

      service.behave((_req, res) => res.writeHead(200).end('{}'));
      for (const res of held) res.end('}');
      assert.equal((await Promise.all(answers)).filter((answer) => answer.status === 200).length, maxConnections);
      assert.equal((await call('/v2/contacts/next', { key })).status, 200);
      assert.deepEqual(
        service.seen.slice(maxConnections).map(({ target }) => target),
        ['/v2/contacts/next'],
      );
    });
  }
});
