import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { MongoNetworkError } from 'mongodb';
import { z } from 'zod';
import { consumerSetting, insert } from '../test/consumer-setting.ts';
import { createBroker } from './broker.ts';
import { createConsumer } from './consume.ts';

test('a consumer', async (t) => {
  await t.test('applies each event exactly once, however often and to however many replicas it is delivered', async (t) => {
    const { parts, event, build, envelope, effects } = await consumerSetting(t, insert);
    const consumers = [build(), build()];
    for (const consumer of consumers) consumer.start();
    const envelopes = Array.from({ length: 50 }, (_, n) => envelope(n));
    // Without a message id, the stream stores every copy, as it does after its deduplication window.
    await Promise.all([...envelopes, ...envelopes, ...envelopes].map((one) => parts.broker.publish(event.subject, JSON.stringify(one))));
    const { manager } = await parts.broker.connected();
    await eventually(async () => {
      const info = await manager.consumers
        .info(parts.broker.streamOf(parts.mongo.db.databaseName), consumers[0]?.name ?? '')
        .catch(() => undefined);
      return info?.num_pending === 0 && info.num_ack_pending === 0;
    });
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    assert.deepEqual(
      (await effects.find().toArray()).map(({ n }) => n).sort((a, b) => a - b),
      envelopes.map((_, n) => n),
    );
  });

  await t.test('dead-letters an event it cannot parse, with the reason, and continues', async (t) => {
    const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(t, insert);
    const consumer = build();
    consumer.start();
    await parts.broker.publish(event.subject, 'not json');
    await eventually(async () => (await deadLetters())?.reason === 'not an event envelope');
    await parts.broker.publish(event.subject, JSON.stringify(envelope('seven')));
    const letter = await eventually(async () => {
      const last = await deadLetters();
      return last?.reason.startsWith('not a ') && last;
    });
    assert.equal(JSON.parse(letter.payload).data.n, 'seven');
    assert.equal(letter.attempts, 1);
    await parts.broker.publish(event.subject, JSON.stringify(envelope(7)));
    await eventually(async () => (await effects.countDocuments()) === 1);
    await consumer.stop();
  });

  await t.test('retries a failing event, then dead-letters it; a failed attempt has no effect', async (t) => {
    let attempts = 0;
    const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(
      t,
      (parts) => async (tx, envelope) => {
        await insert(parts)(tx, envelope);
        attempts += 1;
        throw new Error('always');
      },
      { maxAttempts: 3 },
    );
    const consumer = build();
    consumer.start();
    await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
    const letter = await eventually(deadLetters);
    await consumer.stop();
    assert.equal(letter.reason, 'failed 3 times');
    assert.equal(attempts, 3);
    assert.equal(await effects.countDocuments(), 0);
  });

  const unavailable = new ApiError('SERVICE_UNAVAILABLE', 'A part of the platform is unavailable.', { retryAfter: 2 });
  for (const [title, error, patience] of [
    ['holds an event for a while when a service that its reaction needs is unavailable, and counts no failure', unavailable, undefined],
    [
      'waits for MongoDB indefinitely and counts no attempt',
      new MongoNetworkError('connection lost'),
      { holdMs: 0, attempts: 1, delay: () => 1 },
    ],
  ] as const) {
    await t.test(title, async (t) => {
      let tried = 0;
      const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(
        t,
        (parts) => async (tx, envelope) => {
          tried += 1;
          if (tried <= 5) throw error;
          await insert(parts)(tx, envelope);
        },
        { maxAttempts: 1, ...(patience && { patience }) },
      );
      const consumer = build();
      consumer.start();
      await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
      await eventually(async () => (await effects.countDocuments()) === 1);
      await consumer.stop();
      assert.equal(await deadLetters().catch(() => undefined), undefined);
    });
  }

  await t.test('an event whose dependency stays unavailable does not block others and is finally dead-lettered', async (t) => {
    const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(
      t,
      (parts) => async (tx, envelope) => {
        if (z.object({ n: z.number() }).parse(envelope.data).n === 1) throw unavailable;
        await insert(parts)(tx, envelope);
      },
      { maxAttempts: 1, concurrency: 1, patience: { holdMs: 0, attempts: 40, delay: () => 1 } },
    );
    const consumer = build();
    consumer.start();
    await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
    await parts.broker.publish(event.subject, JSON.stringify(envelope(2)));
    const letter = await eventually(deadLetters);
    await eventually(async () => (await effects.countDocuments({ n: 2 })) === 1);
    await consumer.stop();
    assert.equal(letter.reason, 'a dependency was unavailable 40 times');
    assert.equal(letter.attempts, 40, 'more than a process may die with it');
  });

  await t.test('does not count deliveries to crashed processes as failures', async (t) => {
    let failed = 0;
    const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(
      t,
      (parts) => async (tx, envelope) => {
        if (failed < 2) {
          failed += 1;
          throw new Error('twice');
        }
        await insert(parts)(tx, envelope);
      },
      { maxAttempts: 3 },
    );
    const name = parts.mongo.db.databaseName;
    const { manager, publisher } = await parts.broker.connected();
    await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
    await manager.consumers.add(parts.broker.streamOf(name), { durable_name: `${name}-consumer`, ack_policy: 'explicit' });
    const dying = await publisher.consumers.get(parts.broker.streamOf(name), `${name}-consumer`);
    for (let times = 0; times < 5; times += 1) (await dying.next())?.nak();
    const consumer = build();
    consumer.start();
    await eventually(async () => (await effects.countDocuments()) === 1);
    await consumer.stop();
    assert.equal(await deadLetters().catch(() => undefined), undefined);
  });

  for (const [title, settings, env] of [
    ['respects its concurrency; each replica has its own', { concurrency: 3 }, {}],
    ['takes its concurrency from CONSUMER_CONCURRENCY', {}, { CONSUMER_CONCURRENCY: 3 }],
  ] as const) {
    await t.test(title, async (t) => {
      const gate = Promise.withResolvers<void>();
      let [inWork, most] = [0, 0];
      const { parts, event, build, envelope, effects } = await consumerSetting(
        t,
        (parts) => async (tx, envelope) => {
          inWork += 1;
          most = Math.max(most, inWork);
          await gate.promise;
          await insert(parts)(tx, envelope);
          inWork -= 1;
        },
        settings,
        env,
      );
      const name = parts.mongo.db.databaseName;
      const { manager } = await parts.broker.connected();
      // As an earlier version created it, with one limit for all replicas.
      await manager.consumers.add(parts.broker.streamOf(name), {
        durable_name: `${name}-consumer`,
        filter_subject: parts.broker.subjectOf(`${name}.>`),
        ack_policy: 'explicit',
        ack_wait: 30_000_000_000,
        max_ack_pending: 2,
      });
      const replicas = [build(), build()];
      for (const replica of replicas) replica.start();
      for (let n = 0; n < 20; n += 1) await parts.broker.publish(event.subject, JSON.stringify(envelope(n)));
      await eventually(async () => inWork === 6);
      const info = await manager.consumers.info(parts.broker.streamOf(name), `${name}-consumer`);
      assert.equal(info.num_ack_pending, 6);
      gate.resolve();
      await eventually(async () => (await effects.countDocuments()) === 20);
      await Promise.all(replicas.map((replica) => replica.stop()));
      assert.equal(most, 6);
    });
  }

  await t.test('applies the events of one contact one at a time, so that none conflicts with another', async (t) => {
    let attempts = 0;
    const { parts, build, envelope, effects, event } = await consumerSetting(t, ({ mongo }) => async (tx) => {
      attempts += 1;
      await mongo.db.collection<{ n: number }>('effects').updateOne({ n: -1 }, { $inc: { times: 1 } }, { session: tx.session });
    });
    await effects.insertOne({ n: -1 });
    const contact_id = newId('contact');
    for (let n = 0; n < 20; n += 1) {
      const happened = { ...envelope(n), data: { n, contact_id } };
      await parts.broker.publish(event.subject, JSON.stringify(happened), happened.id);
    }
    const consumer = build();
    consumer.start();
    await eventually(async () => (await effects.countDocuments({ times: 20 })) === 1);
    await consumer.stop();
    assert.equal(attempts, 20);
  });

  await t.test('ignores unknown types and versions, which a newer publisher may send', async (t) => {
    const { parts, event, build, envelope, effects, deadLetters } = await consumerSetting(t, insert);
    const consumer = build();
    consumer.start();
    await parts.broker.publish(event.subject, JSON.stringify({ ...envelope(1), version: 2 }));
    await parts.broker.publish(event.subject, JSON.stringify(envelope(2)));
    await eventually(async () => (await effects.countDocuments()) === 1);
    await consumer.stop();
    assert.equal(await deadLetters().catch(() => undefined), undefined);
  });

  await t.test('recovers when NATS lost the stream and the consumer', async (t) => {
    const { parts, event, build, envelope, effects } = await consumerSetting(t, insert);
    const consumer = build();
    consumer.start();
    await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
    await eventually(async () => (await effects.countDocuments()) === 1);
    const { manager } = await parts.broker.connected();
    await manager.streams.delete(parts.broker.streamOf(parts.mongo.db.databaseName));
    await eventually(() =>
      parts.broker.publish(event.subject, JSON.stringify(envelope(2))).then(
        () => true,
        () => false,
      ),
    );
    await eventually(async () => (await effects.countDocuments()) === 2);
    await consumer.stop();
  });

  await t.test('stops without waiting for a NATS that never responded', async (t) => {
    const parts = await testParts(t, 'kit');
    const broker = createBroker({ url: 'nats://127.0.0.1:1', service: 'kit', logger: parts.logger });
    const stream = { name: 'nowhere', subject: 'nowhere.>', keepDays: 1 };
    const consumer = createConsumer({ ...parts, broker }, { name: 'nobody', stream, filter: 'nowhere.>', handlers: [] });
    broker.start();
    consumer.start();
    await consumer.stop();
    await broker.stop();
  });
});
