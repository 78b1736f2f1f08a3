import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { newSecret } from '../../credentials/token-format.ts';

const paths = ['/v2/me', '/auth/session'];
const cookieOf = (token: string) => ({ cookie: `mp_session=${token}` });

test('rejects a malformed session cookie without a lookup', async (t) => {
  const { call, send, parts } = await startTestGateway(t);
  await parts.mongo.client.close();
  const wellFormed = newSecret('session');
  for (const token of ['x', 'x'.repeat(43), `${wellFormed.slice(0, -1)}!`, newSecret('key'), newSecret('token')]) {
    for (const path of paths) assert.equal((await call(path, { headers: cookieOf(token) })).status, 401, `${path} with ${token}`);
    assert.equal((await send('POST', '/auth/sign-out', {}, { headers: cookieOf(token) })).status, 200);
  }
  await parts.mongo.client.connect();
});

test('limits wrong cookies per address to a hundred a minute; valid sessions keep working', async (t) => {
  let now = Date.now();
  const { call, send, signIn, makeAccount } = await startTestGateway(t, { now: () => now });
  const browser = await signIn(await makeAccount());
  const statusOf = async (path: string, headers: Record<string, string>) => (await call(path, { headers })).status;
  assert.equal(await statusOf('/v2/me', browser), 200);
  for (let index = 0; index < 50; index += 1)
    for (const path of paths) assert.equal(await statusOf(path, cookieOf(newSecret('session'))), 401);
  for (const path of paths) assert.equal(await statusOf(path, cookieOf(newSecret('session'))), 429, path);
  assert.equal((await send('POST', '/auth/sign-out', {}, { headers: cookieOf(newSecret('session')) })).status, 429);
  for (const path of paths) assert.equal(await statusOf(path, browser), 200, path);
  for (const path of paths) assert.equal(await statusOf(path, {}), 401, 'a missing cookie does not count as wrong');
  now += 60_000;
  assert.equal(await statusOf('/auth/session', cookieOf(newSecret('session'))), 401);
});
