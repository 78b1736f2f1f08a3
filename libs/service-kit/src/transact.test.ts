import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import type { ClientSession } from 'mongodb';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { claimsOf } from './idempotency-claim.ts';
import { prepareCollection } from './mongo.ts';

test('a write in one transaction', async (t) => {
  const parts = await testParts(t, 'kit');
  const { mongo, transact } = parts;
  const rows = mongo.db.collection<{ _id: string; n: number }>('rows');
  await prepareCollection(rows, [], mongo.db);
  const checked = { times: 0, refuses: false };
  const app = createServer({ ...parts, name: 'kit' });
  app.post('/v2/things', { config: { scope: 'contacts:write' }, schema: { body: z.strictObject({ id: z.string() }) } }, (request, reply) =>
    transact(
      request,
      reply,
      async (tx, id) => {
        await rows.updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true, session: tx.session });
        return { status: 201, data: { id } };
      },
      {
        before: async () => {
          checked.times += 1;
          if (checked.refuses) throw invalid('/id', 'no_longer', 'It was right a moment ago.');
          return request.body.id;
        },
      },
    ),
  );
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const put = (id: string, key?: string) => client.post('/v2/things', { id }, key === undefined ? {} : { 'idempotency-key': key });
  const count = async (id: string) => (await rows.findOne({ _id: id }))?.n ?? 0;

  await t.test('is rejected by a failed check and leaves nothing', async () => {
    checked.refuses = true;
    for (const key of [undefined, 'refused']) assert.equal((await put('refused', key)).status, 400);
    checked.refuses = false;
    assert.deepEqual([checked.times, await count('refused')], [2, 0]);
    assert.equal((await put('refused', 'refused')).status, 201);
  });

  await t.test('returns the first response to a retry even if the check would fail now', async () => {
    assert.equal((await put('again', 'again')).status, 201);
    checked.refuses = true;
    const second = await put('again', 'again');
    assert.deepEqual([second.status, second.headers['idempotent-replayed']], [201, 'true']);
    assert.equal((await put('another', 'again')).status, 422);
    checked.refuses = false;
    assert.equal(await count('again'), 1);
  });

  /**
   * The response of `repeat` while a transaction holds a lock through `write`. Repeated if MongoDB aborted that transaction in the
   * meantime, as it does after ten seconds.
   */
  const whileHeld = (write: (session: ClientSession, key: string) => Promise<unknown>, repeat: (key: string) => ReturnType<typeof put>) =>
    mongo.client.withSession((session) =>
      eventually(async () => {
        const key = newId('request');
        session.startTransaction();
        await write(session, key);
        const response = await repeat(key);
        const isHeld = await rows.findOne({}, { session }).then(
          () => true,
          () => false,
        );
        await session.abortTransaction().catch(() => undefined);
        return isHeld && { key, ...response };
      }),
    );

  await t.test('returns 503 after too many conflicts with other requests, with or without a key', async () => {
    await rows.insertOne({ _id: 'busy', n: 0 });
    const { key, status, error, headers } = await whileHeld(
      (session) => rows.updateOne({ _id: 'busy' }, { $inc: { n: 1 } }, { session }),
      (key) => put('busy', key),
    );
    assert.deepEqual([status, error.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '1']);
    await eventually(async () => (await put('busy', key)).status === 201);
  });

  await t.test('returns 409 when a request with the same key runs too long', async () => {
    const claim = (key: string) => ({
      _id: [client.accountId, 'POST', '/v2/things', key].join(' '),
      account_id: client.accountId,
      fingerprint: 'x',
      expires_at: new Date(Date.now() + 60_000),
    });
    const { key, status, error } = await whileHeld(
      (session, key) => claimsOf(mongo.db).insertOne(claim(key), { session }),
      (key) => put('twin', key),
    );
    assert.deepEqual([status, error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    assert.equal((await put('twin', key)).status, 201);
  });
});
