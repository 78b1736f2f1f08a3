import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextKeys } from '@mp/test-kit/test-parts';
import { createServer } from './create-server.ts';
import { createLogger } from './logger.ts';

test('the doc_url of an error is absolute, at the public URL that the gateway names', async () => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const docUrl = async (headers: Record<string, string>) => (await app.inject({ url: '/v2/none', headers })).json().error.doc_url;
  assert.equal(await docUrl({ 'x-mp-public-url': 'https://platform.example' }), 'https://platform.example/reference/errors#UNAUTHORIZED');
  assert.equal(await docUrl({}), '/reference/errors#UNAUTHORIZED');
  await app.close();
});
