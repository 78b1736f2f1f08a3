import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Scope } from '@mp/contracts/permissions';
import { newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { testClient } from './client.ts';

type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  scope: Scope;
  /** Creates the resources that the route needs for this caller and returns the URL to call. */
  url: (client: ReturnType<typeof testClient>) => Promise<string> | string;
  /** A valid body, for routes that take one. */
  body?: object;
  /** The principal that the route requires, such as a user; an API key by default. */
  principal_id?: string;
  /** Only for users who are signed in, including those whose role only reads. */
  people?: true;
};

/** Tests the guarantees of every route with real requests. */
export async function guaranteeRoute(
  t: TestContext,
  app: Server,
  { method, scope, url, body, people, principal_id = people && newId('user') }: Route,
) {
  const grant = { permission: 'admin' as const, ...(principal_id !== undefined && { principal_id }) };
  const owner = testClient(app, grant);
  const target = await url(owner);
  const call = (client: ReturnType<typeof testClient>, payload: object | string | undefined = body, address = target) =>
    client.call(method, address, payload);

  await t.test(`${method} ${scope}: returns 401 without a credential and with a forged one`, async () => {
    for (const headers of [{}, { 'x-mp-context': 'eyJhY2NvdW50X2lkIjoiYWNjb3VudF8xIn0.test.AAAA' }]) {
      const response = await app.inject({ method, url: target, headers, ...(body && { payload: body }) });
      assert.equal(response.statusCode, 401);
      assert.equal(response.json().error.code, 'UNAUTHORIZED');
    }
  });

  await t.test(
    `${method} ${scope}: returns 403 for a credential without the scope${people ? ', and for a program' : method === 'GET' ? '' : ' or with read_only'}`,
    async () => {
      const narrowed = await call(owner.as({ scopes: [scope === 'settings:read' ? 'contacts:read' : 'settings:read'] }));
      assert.equal(narrowed.status, 403);
      assert.equal(narrowed.error.code, 'FORBIDDEN');
      if (people) assert.equal((await call(owner.as({ principal_id: newId('key') }))).status, 403);
      else if (method !== 'GET') assert.equal((await call(owner.as({ permission: 'read_only' }))).status, 403);
    },
  );

  await t.test(`${method} ${scope}: rejects an unknown query parameter by name`, async () => {
    const response = await call(owner, body, `${target}${target.includes('?') ? '&' : '?'}unheard_of=1`);
    assert.equal(response.status, 400);
    assert.equal(response.error.code, 'VALIDATION_ERROR');
    assert.match(response.text, /unheard_of/);
  });

  if (/_[0-9a-z]{26}/.test(target)) {
    await t.test(`${method} ${scope}: returns the same error for another account as for an unknown id`, async () => {
      const foreign = await call(testClient(app, grant));
      const missing = await call(owner, body, target.replace(/[0-9a-z]{26}/, '01h455vb4pex5vsknk084sn02q'));
      assert.equal(foreign.status, 404);
      assert.deepEqual({ ...foreign.error, request_id: '' }, { ...missing.error, request_id: '' });
    });
  }

  if (body) {
    await t.test(
      `${method} ${scope}: rejects malformed JSON, wrong encodings and media types, multi-line names and unknown fields`,
      async () => {
        const malformed = await call(owner, '{"a":');
        assert.deepEqual([malformed.status, malformed.error.details[0].code], [400, 'invalid_json']);
        const poisoned = await call(owner, '{"__proto__": {"a": 1}}');
        assert.deepEqual([poisoned.status, poisoned.error.code], [400, 'VALIDATION_ERROR']);
        const unknown = await call(owner, { ...body, unheard_of: 1 });
        assert.equal(unknown.status, 400);
        assert.match(unknown.text, /unheard_of/);
        for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'text/csv' }, { 'content-encoding': 'gzip' }]) {
          const other = await owner.call(method, target, 'a@b.co', headers);
          assert.deepEqual([other.status, other.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], JSON.stringify(headers));
        }
        const latin1 = await call(owner, Buffer.from('{"name": "Zoë"}', 'latin1'));
        assert.deepEqual([latin1.status, latin1.error.details[0].code], [400, 'invalid_encoding']);
        if ('name' in body) {
          for (const name of ['a\0b', 'a\nb', 'a\u009bb']) {
            const { status, error } = await call(owner, { ...body, name });
            assert.deepEqual([status, error.code, error.details[0].path], [400, 'VALIDATION_ERROR', '/name']);
          }
        }
        const deep = await call(owner, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
        assert.deepEqual([deep.status, deep.error.code], [400, 'VALIDATION_ERROR']);
      },
    );
  }
}
