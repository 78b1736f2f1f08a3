import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { maxConnections } from './upstreams.ts';

/** What one account may hold while nobody else holds a connection. */
const share = (maxConnections * 3) / 4;

test('a request that waits too long for a connection is rejected and never sent', async (t) => {
  for (const [timeouts, status] of [
    [{ headersMs: 2_000 }, 503],
    [{ totalMs: 2_000 }, 504],
  ] as const) {
    await t.test(`${Object.keys(timeouts)}: ${status}`, async (t) => {
      const { call, makeKey, service, parts, url } = await startTestGateway(t, { timeouts });
      const key = await makeKey();
      const held = new Set<ServerResponse>();
      /** Responses begin, so that no time-out applies, but do not end. */
      service.behave((_req, res) => {
        res.writeHead(200).write('{');
        held.add(res);
        res.once('close', () => held.delete(res));
        // An occasional piece keeps the responses from timing out.
        const more = setInterval(() => res.write(' '), 100);
        res.once('close', () => clearInterval(more));
      });
      /** On a busy machine the time-out can end a request before its response begins; another one takes its place. */
      const hold = async (): Promise<number> => {
        const response = await call('/v2/contacts', { key });
        return response.status === status ? hold() : response.status;
      };
      const responses = Array.from({ length: share }, hold);
      await eventually(async () => held.size === share);
      assert.equal((await call('/v2/contacts/waits', { key })).status, status);
      const reported = (line: string) => eventually(async () => (await parts.metrics.registry.metrics()).includes(line));
      const ended = async () => {
        const line = 'gateway_request_duration_seconds_count{service="gateway",route_class="contacts:read"} ';
        return Number((await parts.metrics.registry.metrics()).split(line)[1]?.split('\n')[0]);
      };
      const before = await ended();
      const { hostname, port } = new URL(url);
      const leaving = connect(Number(port), hostname);
      leaving.write(`GET /v2/contacts/leaves HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\n\r\n`);
      await reported('gateway_waiting_requests{upstream="contacts",service="gateway"} 1');
      leaving.destroy();
      await eventually(async () => (await ended()) === before + 1);

      service.behave((_req, res) => res.writeHead(200).end('{}'));
      for (const res of held) res.end('}');
      assert.deepEqual(new Set(await Promise.all(responses)), new Set([200]));
      assert.equal((await call('/v2/contacts/next', { key })).status, 200);
      assert.deepEqual(
        service.seen.map(({ target }) => target).filter((target) => target !== '/v2/contacts'),
        ['/v2/contacts/next'],
      );
    });
  }
});
