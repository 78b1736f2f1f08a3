import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
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

test('an error that replaces a file has no Content-Disposition and no Content-Encoding', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const file = () => Readable.from(['a\n'.repeat(2_000)], { objectMode: false });
  for (const [path, type] of [
    ['json', 'application/json'],
    ['csv', 'text/csv'],
  ] as const)
    app.get(`/health/${path}`, async (_, reply) =>
      reply.type(type).header('content-disposition', 'attachment; filename="a.csv"').header('x-name', 'Iğdır').send(file()),
    );
  await app.ready();
  t.after(() => app.close());
  for (const path of ['json', 'csv']) {
    const { statusCode, headers, body } = await app.inject({ url: `/health/${path}`, headers: { 'accept-encoding': 'gzip' } });
    const { 'content-encoding': encoding, 'content-disposition': disposition } = headers;
    assert.deepEqual([statusCode, encoding, disposition], [500, undefined, undefined], path);
    assert.equal(JSON.parse(body).error.code, 'INTERNAL_ERROR');
  }
});
