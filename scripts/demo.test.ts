import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { testInfra } from '@mp/test-kit/infra';
import { MongoClient } from 'mongodb';
import { secretHash } from '../services/gateway/src/credentials/secret-hash.ts';

const root = join(import.meta.dirname, '..');
const keys = `k1:${Buffer.alloc(32, 7).toString('base64url')}`;

test('the demo fills the account of --account on the platform of --url', async (t) => {
  const { mongoUrl, natsUrl } = await testInfra();
  const NAMESPACE = `test_demo_${process.pid}_${Date.now().toString(36)}`;
  const mongo = await MongoClient.connect(mongoUrl);
  // The next run of the suite drops the database. Dropping it here would lock all of MongoDB 4.0 while any transaction is open.
  t.after(() => mongo.close());
  const db = mongo.db(`${NAMESPACE}_gateway`);

  // A platform that is ready and rejects the first contacts.
  const received: { path: string | undefined; authorization: string | undefined }[] = [];
  const platform = createServer(({ url, headers }, response) => {
    received.push({ path: url, authorization: headers.authorization });
    const isReady = url === '/health/ready';
    response.writeHead(isReady ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isReady ? {} : { error: { message: 'enough' } }));
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  t.after(() => {
    platform.closeAllConnections();
    platform.close();
  });
  const address = platform.address();
  assert.ok(typeof address === 'object' && address);

  const run = (file: string, ...args: string[]) =>
    new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const own = { MONGODB_URL: mongoUrl, NATS_URL: natsUrl, NAMESPACE, CONTEXT_KEYS: keys, CURSOR_KEYS: keys };
      const env = { ...process.env, ...own, PUBLIC_URL: 'http://127.0.0.1:9' };
      const child = spawn(process.execPath, [file, ...args], { cwd: root, env });
      let stderr = '';
      child.stdout.resume();
      child.stderr.on('data', (chunk) => (stderr += chunk));
      child.on('close', (code) => resolve({ code, stderr }));
    });
  const demo = (account: string) => run('scripts/demo.ts', '--account', account, '--url', `http://127.0.0.1:${address.port}/`);

  const created = await run('services/gateway/src/cli/account.ts', 'create', '--name', 'Shop', '--plan', 'growth');
  assert.equal(created.code, 0, created.stderr);

  const filled = await demo('Shop');
  assert.match(filled.stderr, /POST \/v2\/contacts\/batch returned 400: enough/);
  assert.deepEqual(
    received.map(({ path }) => path),
    ['/health/ready', '/v2/contacts/batch'],
  );
  const key = received[1]?.authorization?.replace('Bearer ', '') ?? '';
  const [shop, stored] = await Promise.all([
    db.collection('accounts').findOne({ name: 'Shop' }),
    db.collection('api_keys').findOne({ hash: secretHash(key) }),
  ]);
  assert.ok(shop);
  assert.deepEqual([stored?.account_id, stored?.permission], [shop._id, 'read_write']);

  received.length = 0;
  const mistyped = await demo('Shpo');
  assert.equal(mistyped.code, 1);
  assert.match(mistyped.stderr, /There is no account Shpo\. Did you mean Shop\?/);
  assert.deepEqual(
    received.map(({ path }) => path),
    ['/health/ready'],
  );
  assert.equal(await db.collection('accounts').countDocuments(), 1, 'neither run created an account');
});
