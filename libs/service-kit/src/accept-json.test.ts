import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { contextKeys } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { listQuery } from './list.ts';
import { createLogger } from './logger.ts';

/** CPU time: far more than needed, and far less than normalizing a megabyte of marks. */
const maxMs = 5_000;

test('checks the encoding and type of a body', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const loose = { body: z.looseObject({}) };
  app.addContentTypeParser('text/csv', (_request, _body, done) => done(null, { file: true }));
  app.post('/v2/things', { config: { scope: 'contacts:write' }, schema: loose }, async ({ body }) => ({ success: true, data: body }));
  app.post('/v2/rows', { config: { scope: 'contacts:write', itemsOnTheirOwn: true }, schema: loose }, async () => ({
    success: true,
    data: {},
  }));
  app.post('/v2/files', { config: { scope: 'contacts:write', consumes: ['text/csv'] } }, async () => ({ success: true, data: {} }));
  app.get('/v2/things', { config: { scope: 'contacts:read' }, schema: { querystring: z.object(listQuery) } }, async ({ query }) => ({
    success: true,
    data: query,
  }));
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const post = (body: string | Buffer, headers?: Record<string, string>, url = '/v2/things') => client.post(url, body, headers);
  const refused = async (pending: ReturnType<typeof post>, code: string, path: string) => {
    const { status, error } = await pending;
    assert.deepEqual(
      [status, error.code, error.details[0].code, error.details[0].path],
      [400, 'VALIDATION_ERROR', code, path],
      error.message,
    );
  };

  await t.test('rejects invalid UTF-8 and lone surrogates in escapes', async () => {
    for (const bytes of ['ff', 'c328', 'eda080', 'e282', 'f8888080'])
      await refused(
        post(Buffer.concat([Buffer.from('{"name": "a'), Buffer.from(bytes, 'hex'), Buffer.from('"}')])),
        'invalid_encoding',
        '/',
      );
    await refused(post('{"more": [{"name": "a\\ud83d"}]}'), 'invalid_encoding', '/more/0/name');
    await refused(post('{"\\udc00": 1}'), 'invalid_encoding', '/');
    const { data } = await post('{"name": "\\ud83d\\ude00 \u00e9 \u65e5\u672c"}');
    assert.equal(data.name, '\u{1f600} \u00e9 \u65e5\u672c');
  });

  await t.test('says where a body stops being JSON', async () => {
    const { status, error } = await post('{\n  "email": "a@example.com",\n}');
    assert.deepEqual([status, error.message], [400, 'The body is not valid JSON: remove the comma before } (line 2, column 27).']);
    const [{ code, line, column, position }] = error.details;
    assert.deepEqual([code, line, column, position], ['invalid_json', 2, 27, 28]);
  });

  await t.test('counts the levels of a body, whatever its texts contain', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    const long = 'x'.repeat(3_000);
    for (const text of ['', '[[{{', long, `${long}[{`, `${long}\\"[{`, `\\\\${long}`, `${long}\\\\`, '\\"'.repeat(2_000)]) {
      const name = JSON.stringify(text);
      const body = (depth: number) => `{${name}: ${name}, "deep": ${nested(depth)}}`;
      assert.equal((await post(body(63))).status, 200);
      await refused(post(body(64)), 'invalid_json', '/');
    }
    assert.equal((await post(`{"a": "${long}`)).status, 400);
  });

  await t.test('rejects a number that JSON parsers read differently, wherever it is', async () => {
    for (const number of ['9007199254740993', '-9007199254740992', '1e20', '1e400', '12345678901234567890.5'])
      await refused(post(`{"a": {"b": [1, ${number}]}}`), 'unsafe_number', '/a/b/1');
    for (const number of ['9007199254740991', '-9007199254740991', '1e3', '0.1', '1.23456789012345678', '"9007199254740993"'])
      assert.equal((await post(`{"a": ${number}}`)).status, 200, number);
  });

  await t.test('rejects NUL in texts and names', async () => {
    await refused(post('{"a": ["x", "a\\u0000b"]}'), 'invalid_format', '/a/1');
    await refused(post('{"a\\u0000": 1}'), 'invalid_format', '/');
  });

  await t.test('rejects the field name by which the MongoDB driver recognizes its own types', async () => {
    await refused(post('{"a": [{"_bsontype": "ObjectId"}]}'), 'invalid_format', '/a/0/_bsontype');
    await refused(post('{"\\u005fbsontype": 1}'), 'invalid_format', '/_bsontype');
  });

  await t.test('leaves the check to a route that validates its items one by one', async () => {
    assert.equal((await post('{"items": ["a\\ud83d\\u0000", 1e20]}', {}, '/v2/rows')).status, 200);
  });

  await t.test('returns 415 for an unsupported encoding or media type', async () => {
    for (const headers of [
      { 'content-encoding': 'gzip' },
      { 'content-type': 'text/csv' },
      { 'content-type': 'application/json-patch+json' },
    ]) {
      const { status, error } = await post('{}', headers);
      assert.deepEqual([status, error.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    const file = await post('a,b', { 'content-type': 'text/csv; charset=utf-8' }, '/v2/files');
    const json = await post('{}', {}, '/v2/files');
    const identity = await post('{}', { 'content-encoding': 'Identity', 'content-type': 'Application/JSON; charset=UTF-8' });
    assert.deepEqual([file.status, json.status, identity.status], [200, 415, 200]);
    assert.equal((await client.post('/v2/things', '', { 'content-encoding': 'gzip' })).status, 200, 'there is no body to encode');
  });

  await t.test('accepts a limit in decimal digits only', async () => {
    for (const limit of ['1e2', '0x10', '%205', '5%20', '+5', '05', '5.0', '', '0', '101', '-1', '9'.repeat(30)])
      assert.equal((await client.get(`/v2/things?limit=${limit}`)).status, 400, limit);
    for (const limit of [1, 5, 100]) assert.equal((await client.get(`/v2/things?limit=${limit}`)).data.limit, limit);
    assert.equal((await client.get('/v2/things')).data.limit, 50);
  });
});

test('rejects texts that would take minutes to normalize', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const body = z.object({ text: z.string().trim().normalize('NFC').max(1_000_000) }).loose();
  app.post('/v2/things', { config: { scope: 'contacts:write' }, schema: { body } }, async () => ({ success: true, data: {} }));
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const post = (json: string) => client.post('/v2/things', json);
  const marks = (count: number) => '\u0300\u0316'.repeat(count / 2);
  const escaped = (text: string) => text.replace(/[^\x20-\x7e]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const filler = 'x'.repeat(5_000);

  await t.test('a megabyte of combining marks, plain or escaped, in a value or a name, however deep', async () => {
    const many = marks(500_000);
    for (const json of [
      JSON.stringify({ text: `a${many}` }),
      `{"text": "${escaped(marks(170_000))}"}`,
      JSON.stringify({ text: 'a', [many]: 1 }),
      JSON.stringify({ text: 'a', more: [{ deep: [many] }] }),
      JSON.stringify({ text: filler + marks(102) }),
    ]) {
      const clock = startCpuClock();
      const { status, error } = await post(json);
      assert.deepEqual([status, error.code], [400, 'VALIDATION_ERROR']);
      assert.match(error.message, /100 combining marks/);
      assert.ok(clock() < maxMs);
    }
  });

  await t.test('accepts the combining marks of real text, and other scripts in escapes', async () => {
    for (const text of [
      filler + marks(100),
      `${filler}${'a\u0300\u0301'.repeat(3_000)}`,
      '\u6f22\u5b57'.repeat(5_000),
      '\ud83d\ude00'.repeat(2_000),
      marks(400),
    ]) {
      assert.equal((await post(JSON.stringify({ text }))).status, 200);
      assert.equal((await post(`{"text": "${escaped(text)}"}`)).status, 200);
    }
  });
});
