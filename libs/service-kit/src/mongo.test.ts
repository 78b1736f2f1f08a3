import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testParts } from '@mp/test-kit/test-parts';
import { pause } from './backoff.ts';
import { isDuplicateKey, prepareCollection, type Transaction } from './mongo.ts';

const origin = { correlationId: 'req_12345678', causationId: null };

test('a transaction', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  const rows = mongo.db.collection<{ _id: string; n: number }>('rows');
  await prepareCollection(rows, [], mongo.db);

  await t.test('is repeated until it meets no conflict; its effects run once, after the commit', async () => {
    await rows.insertOne({ _id: 'a', n: 0 });
    let effects = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        mongo.transaction(
          origin,
          async (tx) => {
            const row = await rows.findOne({ _id: 'a' }, { session: tx.session });
            await rows.updateOne({ _id: 'a' }, { $set: { n: (row?.n ?? 0) + 1 } }, { session: tx.session });
            tx.afterCommit(() => {
              effects += 1;
            });
          },
          { limitMs: 120_000 },
        ),
      ),
    );
    assert.equal((await rows.findOne({ _id: 'a' }))?.n, 20);
    assert.equal(effects, 20);
  });

  await t.test('that contends for a resource with many others is repeated in its turn, not with all of them at once', async () => {
    await rows.insertOne({ _id: 'd', n: 0 });
    let attempts = 0;
    const increment = () =>
      mongo.transaction(
        origin,
        async ({ session }) => {
          attempts += 1;
          const row = await rows.findOne({ _id: 'd' }, { session });
          await rows.updateOne({ _id: 'd' }, { $set: { n: (row?.n ?? 0) + 1 } }, { session });
        },
        { contendsFor: 'd' },
      );
    await Promise.all(Array.from({ length: 40 }, increment));
    assert.equal((await rows.findOne({ _id: 'd' }))?.n, 40);
    assert.ok(attempts < 3 * 40, `${attempts} attempts`);
  });

  await t.test('that takes turns from its first attempt runs alone among those that contend for the same', async () => {
    let [running, most] = [0, 0];
    const work = async ({ session }: Transaction) => {
      running += 1;
      most = Math.max(most, running);
      await rows.updateOne({ _id: 'turns' }, { $inc: { n: 1 } }, { session, upsert: true });
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => mongo.transaction(origin, work, { contendsFor: 'turns', oneAtATime: true })));
    assert.deepEqual([most, (await rows.findOne({ _id: 'turns' }))?.n], [1, 20]);
  });

  await t.test('throws a duplicate key at once instead of retrying for two minutes', async () => {
    await rows.insertOne({ _id: 'b', n: 0 });
    let attempts = 0;
    await assert.rejects(
      mongo.transaction(origin, (tx) => {
        attempts += 1;
        return rows.insertOne({ _id: 'b', n: 1 }, { session: tx.session });
      }),
      isDuplicateKey,
    );
    assert.equal(attempts, 1);
  });

  await t.test('gives up on endless conflicts with SERVICE_UNAVAILABLE', async () => {
    await rows.insertOne({ _id: 'c', n: 0 });
    await mongo.client.withSession(async (session) => {
      session.startTransaction();
      await rows.updateOne({ _id: 'c' }, { $inc: { n: 1 } }, { session });
      await assert.rejects(
        mongo.transaction(origin, (tx) => rows.updateOne({ _id: 'c' }, { $inc: { n: 1 } }, { session: tx.session }), { limitMs: 100 }),
        { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 },
      );
      await session.abortTransaction();
    });
  });

  await t.test('repeats a transaction in its turn, even if the first attempt took all its time', async () => {
    await rows.insertOne({ _id: 'slow', n: 0 });
    const limitMs = 20;
    let attempts = 0;
    await mongo.transaction(
      origin,
      async (tx) => {
        attempts += 1;
        await rows.findOne({ _id: 'slow' }, { session: tx.session });
        if (attempts === 1) {
          // A busy machine, and another transaction that is faster.
          await pause(2 * limitMs);
          await rows.updateOne({ _id: 'slow' }, { $inc: { n: 1 } });
        }
        await rows.updateOne({ _id: 'slow' }, { $inc: { n: 1 } }, { session: tx.session });
      },
      { limitMs, contendsFor: 'slow' },
    );
    assert.deepEqual([attempts, (await rows.findOne({ _id: 'slow' }))?.n], [2, 2]);
  });

  await t.test('acknowledges writes only when a majority has them on disk', () => {
    assert.deepEqual({ ...mongo.client.writeConcern }, { w: 'majority', journal: true, j: true });
  });
});
