import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testParts } from '@mp/test-kit/test-parts';
import { insertAll } from './insert-all.ts';
import { isDuplicateKey } from './mongo.ts';

test('inserting all', async (t) => {
  const { mongo } = await testParts(t, 'insert');
  const things = mongo.db.collection<{ _id: string; at?: Date }>('things');
  await mongo.db.createCollection('things');
  const origin = { correlationId: 'req_1', causationId: null };

  await t.test('stores all documents with the commit', async () => {
    const documents = Array.from({ length: 500 }, (_, index) => ({ _id: `a${index}`, at: new Date(index) }));
    await mongo.transaction(origin, (tx) => insertAll(mongo.db, things, documents, tx));
    assert.deepEqual(
      (await things.find().toArray()).toSorted((a, b) => Number(a.at) - Number(b.at)),
      documents,
    );
  });

  await t.test('an existing document makes all of them fail with a duplicate key', async () => {
    const written = mongo.transaction(origin, (tx) => insertAll(mongo.db, things, [{ _id: 'b1' }, { _id: 'a1' }, { _id: 'b2' }], tx));
    await assert.rejects(written, isDuplicateKey);
    assert.equal(await things.countDocuments({ _id: /^b/ }), 0);
  });

  await t.test('sends nothing to the database for an empty list', async () => {
    await mongo.transaction(origin, (tx) => insertAll(mongo.db, things, [], tx));
  });
});
