import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { contextKeys } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { callerSignal, inLogContext } from './log-context.ts';
import { createLogger } from './logger.ts';

test('a request knows whether its caller is still there, after its body has been read, too', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  t.after(() => app.close());
  const signals = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<AbortSignal>()];
  const responds = Promise.withResolvers<void>();
  let seen = 0;
  app.post('/things', { schema: { body: z.looseObject({}) } }, async () => {
    const signal = callerSignal();
    assert.equal(callerSignal(), signal);
    assert.equal(
      inLogContext({}, () => callerSignal()),
      undefined,
    );
    if (signal) signals[seen]?.resolve(signal);
    seen += 1;
    await responds.promise;
    return { success: true };
  });
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const send = () => {
    const client = connect(Number(port), '127.0.0.1');
    const body = JSON.stringify({ text: 'x'.repeat(100_000) });
    client.write(`POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    return client;
  };
  const leaves = send();
  const left = await signals[0]?.promise;
  assert.equal(left?.aborted, false);
  const stays = send();
  const stayed = await signals[1]?.promise;
  leaves.destroy();
  if (left && !left.aborted) await once(left, 'abort');
  assert.equal(stayed?.aborted, false);
  responds.resolve();
  assert.match(String(await once(stays, 'data')), /^HTTP\/1.1 200/);
  stays.destroy();
});
