import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { connectionsMax } from './upstreams.ts';

test('who waits too long for a connection is told so, and is not sent when its turn comes', async (t) => {
  for (const [timeouts, status] of [
    [{ headersMs: 1_000 }, 503],
    [{ totalMs: 1_000 }, 504],
  ] as const) {
    await t.test(`${Object.keys(timeouts)}: ${status}`, async (t) => {
      const { call, makeKey, service, parts } = await startTestGateway(t, { timeouts });
      const key = await makeKey();
      const held: ServerResponse[] = [];
      /** Answers begin, and so wait for nobody, but do not end. */
      service.behave((_req, res) => {
        res.writeHead(200).write('{');
        held.push(res);
        // A piece now and then: what is on its way is not given up.
        const more = setInterval(() => res.write(' '), 100);
        res.once('close', () => clearInterval(more));
      });
      const answers = Array.from({ length: connectionsMax }, () => call('/v2/contacts', { key }));
      await eventually(async () => held.length === connectionsMax);
      assert.equal((await call('/v2/contacts/waits', { key })).status, status);
      const left = new AbortController();
      const leaving = call('/v2/contacts/leaves', { key, signal: left.signal });
      const waiting = async () =>
        /gateway_waiting_requests\{upstream="contacts",service="gateway"\} 2/.test(await parts.metrics.registry.metrics());
      await eventually(waiting);
      left.abort();
      await leaving.catch(() => undefined);

      service.behave((_req, res) => res.writeHead(200).end('{}'));
      for (const res of held) res.end('}');
      assert.equal((await Promise.all(answers)).filter((answer) => answer.status === 200).length, connectionsMax);
      assert.equal((await call('/v2/contacts/next', { key })).status, 200);
      assert.deepEqual(
        service.seen.slice(connectionsMax).map(({ target }) => target),
        ['/v2/contacts/next'],
      );
    });
  }
});
