import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { testParts } from '@mp/test-kit/test-parts';
import { MongoClient } from 'mongodb';
import { watchPool } from './mongo-pool.ts';

test('counts the connections that are open and used, and the operations that wait for one', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  await mongo.db.collection('rows').insertOne({});
  const client = new MongoClient((await testInfra()).mongoUrl, { maxPoolSize: 2 });
  const pool = watchPool(client, 2);
  assert.deepEqual(pool, { max: 2, open: 0, used: 0, waiting: 0 });
  const rows = client.db(mongo.db.databaseName).collection('rows');
  const slow = Array.from({ length: 3 }, () => rows.find({ $where: 'sleep(300) || true' }).toArray());
  await eventually(async () => pool.used === 2 && pool.waiting === 1);
  assert.equal(pool.open, 2);
  await Promise.all(slow);
  assert.deepEqual(pool, { max: 2, open: 2, used: 0, waiting: 0 });
  await client.close();
  assert.equal(pool.open, 0);
});
