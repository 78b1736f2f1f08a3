import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { contextKeys } from '@mp/test-kit/test-parts';
import { createServer } from './create-server.ts';
import { createLogger } from './logger.ts';
import { requireMatch } from './precondition.ts';

test('requireMatch', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const resources = { '/v2/thing': { revision: 3 }, '/v2/nothing': undefined };
  for (const [path, resource] of Object.entries(resources))
    app.put(path, { config: { scope: 'contacts:write', ifMatch: true } }, async (request) => {
      requireMatch(request, resource);
      return { success: true, data: {} };
    });
  app.put('/v2/undeclared', { config: { scope: 'contacts:write' } }, async (request) => {
    requireMatch(request, { revision: 3 });
    return { success: true, data: {} };
  });
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const put = async (path: string, tag?: string) => {
    const { status, error } = await client.put(path, {}, tag === undefined ? {} : { 'if-match': tag });
    return status === 200 ? 200 : `${status} ${error.code}`;
  };

  await t.test('accepts no tag, the current one, one of several, and `*`; refuses every other', async () => {
    for (const tag of [undefined, '"3"', '"2", "3"', ' * ']) assert.equal(await put('/v2/thing', tag), 200, tag);
    for (const tag of ['"2"', '3', 'W/"3"', '']) assert.equal(await put('/v2/thing', tag), '412 PRECONDITION_FAILED', tag);
  });

  await t.test('refuses every tag of what does not exist', async () => {
    assert.equal(await put('/v2/nothing'), 200);
    for (const tag of ['"1"', '*']) assert.equal(await put('/v2/nothing', tag), '412 PRECONDITION_FAILED', tag);
  });

  await t.test('fails in a route that does not declare it, even without a tag', async () => {
    for (const tag of [undefined, '"3"']) assert.equal(await put('/v2/undeclared', tag), '500 INTERNAL_ERROR', tag);
  });
});
