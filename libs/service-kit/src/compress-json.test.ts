import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { contextKeys } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { createLogger } from './logger.ts';

test('compresses JSON of 1 KiB and more for clients that accept it, and ends every body with a newline', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const schema = { querystring: z.object({ length: z.coerce.number() }), response: { 200: z.object({ text: z.string() }) } };
  app.get('/health/text', { schema }, async ({ query }) => ({ text: 'a'.repeat(query.length) }));
  await app.ready();
  t.after(() => app.close());
  const get = (length: number, encoding?: string) =>
    app.inject({ url: `/health/text?length=${length}`, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

  const whole = `${JSON.stringify({ text: 'a'.repeat(2_000) })}\n`;
  assert.equal((await get(2_000)).body, whole);
  const gzip = await get(2_000, 'gzip');
  assert.deepEqual([gzip.headers['content-encoding'], gzip.headers.vary], ['gzip', 'accept-encoding']);
  assert.equal(gunzipSync(gzip.rawPayload).toString(), whole);
  assert.equal(brotliDecompressSync((await get(2_000, 'gzip, br')).rawPayload).toString(), whole);
  const short = await get(10, 'gzip');
  assert.deepEqual([short.headers['content-encoding'], short.body], [undefined, '{"text":"aaaaaaaaaa"}\n']);
  assert.equal((await app.inject({ url: '/nothing' })).body.at(-1), '\n');
});
