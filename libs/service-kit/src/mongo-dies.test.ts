import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { createTcpProxy, mongoUrlThrough } from '@mp/test-kit/tcp-proxy';
import { contextKeys, testParts } from '@mp/test-kit/test-parts';
import { MongoClient, MongoNetworkError } from 'mongodb';
import { z } from 'zod';
import { createConsumer, on } from './consume.ts';
import { createServer } from './create-server.ts';
import { createMongo, prepareCollection } from './mongo.ts';
import { createTransact } from './transact.ts';

const isCommit = (sent: Buffer) => sent.includes('commitTransaction');

test('when MongoDB is killed during a commit', async (t) => {
  const parts = await testParts(t, 'kit');
  const proxy = await createTcpProxy(t, (await testInfra()).mongoUrl);
  await proxy.open();
  const mongo = createMongo({ url: mongoUrlThrough(proxy), database: parts.mongo.db.databaseName, service: 'kit' });
  t.after(() => mongo.stop());
  const rows = mongo.db.collection('rows');
  await prepareCollection(rows, [], parts.mongo.db);

  await t.test('the request gets 503 with Retry-After, and its retry succeeds', async () => {
    const { transact, prepare } = createTransact(mongo, contextKeys);
    await prepare();
    const app = createServer({ ...parts, name: 'kit' });
    app.post('/things', { config: {}, schema: { hide: true } }, (request, reply) =>
      transact(request, reply, async (tx) => {
        await rows.insertOne({ thing: 1 }, { session: tx.session });
        return { status: 201, data: {} };
      }),
    );
    const dies = (sent: Buffer) => {
      if (isCommit(sent)) void proxy.close();
      return isCommit(sent);
    };
    proxy.breakOn(dies);
    const response = await app.inject({ method: 'POST', url: '/things' });
    assert.deepEqual([response.statusCode, response.json().error.code, response.headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '2']);
    proxy.breakOn(() => false);
    await proxy.open();
    assert.equal((await app.inject({ method: 'POST', url: '/things' })).statusCode, 201);
    assert.equal(await rows.countDocuments(), 1);
  });

  await t.test('a commit whose connection broke is retried over another and takes effect once', async () => {
    let broken = 0;
    proxy.breakOn((sent) => isCommit(sent) && ++broken <= 2);
    await mongo.transaction({ correlationId: 'req_12345678', causationId: null }, (tx) =>
      rows.insertOne({ thing: 2 }, { session: tx.session }),
    );
    proxy.breakOn(() => false);
    assert.equal(broken, 3);
    assert.equal(await rows.countDocuments({ thing: 2 }), 1);
  });

  await t.test('no attempt of a consumer is exhausted', async (t) => {
    const { broker } = parts;
    const name = `${mongo.db.databaseName}_away`;
    const event = defineEvent({ type: `${name}.done`, version: 1, meaning: 'A thing was done.', data: z.object({}) });
    const stream = { name, subject: `${name}.>`, keepDays: 1 };
    broker.start();
    await broker.ensureStream(stream);
    t.after(async () => (await broker.connected()).manager.streams.delete(broker.streamOf(name)));
    let attempts = 0;
    const handler = on(event, async (tx) => {
      attempts += 1;
      await rows.insertOne({ thing: 3 }, { session: tx.session });
    });
    const consumer = createConsumer({ ...parts, mongo }, { name, stream, filter: `${name}.>`, handlers: [handler], maxAttempts: 1 });
    proxy.breakOn((sent) => isCommit(sent) && attempts < 2);
    consumer.start();
    t.after(() => consumer.stop());
    const envelope = { id: newId('event'), type: event.type, version: 1, time: new Date().toISOString(), account_id: 'account_1' };
    const chain = { correlation_id: 'req_1', causation_id: null, producer: 'test', data: {} };
    await broker.publish(event.subject, JSON.stringify({ ...envelope, ...chain }));
    await eventually(async () => {
      const { manager } = await broker.connected();
      const info = await manager.consumers.info(broker.streamOf(name), name).catch(() => undefined);
      return attempts >= 2 && info && info.num_pending + info.num_ack_pending === 0;
    });
    assert.equal(await parts.mongo.db.collection('rows').countDocuments({ thing: 3 }), 1);
  });
});

test('a reset connection fails its commands with the driver’s network error and its cause', async (t) => {
  const proxy = await createTcpProxy(t, (await testInfra()).mongoUrl);
  await proxy.open();
  const client = new MongoClient(mongoUrlThrough(proxy), { retryReads: false });
  t.after(() => client.close());
  await client.connect();
  proxy.breakOn((sent) => sent.includes('reset-me'));
  await assert.rejects(
    client
      .db('test')
      .collection('rows')
      .find({ _id: 'reset-me' as never })
      .toArray(),
    (error) => {
      assert.ok(error instanceof MongoNetworkError);
      assert.match(error.message, /ECONNRESET/);
      return true;
    },
  );
});
