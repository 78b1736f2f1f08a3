import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { z } from 'zod';
import { consumerSetting, insert } from '../test/consumer-setting.ts';
import type { EventHandler } from './consume.ts';
import type { Parts } from './service-parts.ts';

test('a consumer reports its progress: behind while an event is retried, past a dead-lettered one, lost in a lost stream', async (t) => {
  let broken = true;
  const react = (parts: Parts): EventHandler['react'] => {
    const work = insert(parts);
    return async (tx, event) => {
      if (broken && z.object({ n: z.number() }).parse(event.data).n === 1) throw new Error('not yet');
      await work(tx, event);
    };
  };
  const { parts, event, build, envelope, effects } = await consumerSetting(t, react, { maxAttempts: 1_000_000 });
  const name = parts.mongo.db.databaseName;
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  const [first, second] = [build(), build()];
  const publish = (data: unknown) => parts.broker.publish(event.subject, JSON.stringify(envelope(data)));

  await publish(1);
  await publish(2);
  await publish('not a number');
  const position = await parts.broker.position(stream);
  assert.equal(position.sequence, 3);
  assert.equal(await first.progressTo(position), 'behind', 'before it was ever started');
  first.start();
  await eventually(async () => (await effects.countDocuments({ n: 2 })) === 1);
  assert.equal(await second.progressTo(position), 'behind', 'later events are done, the first is not');
  assert.deepEqual([(await second.applied()).sequence, (await second.applied()).epoch], [0, position.epoch]);
  broken = false;
  await eventually(async () => (await second.progressTo(position)) === 'applied');
  assert.equal(await effects.countDocuments({ n: 1 }), 1);
  assert.deepEqual(await second.applied(), position);

  const { manager } = await parts.broker.connected();
  await manager.streams.delete(parts.broker.streamOf(name));
  await parts.broker.ensureStream(stream);
  await publish(4);
  assert.equal(await first.progressTo(position), 'lost');
  const again = await parts.broker.position(stream);
  await eventually(async () => (await first.progressTo(again)) === 'applied');
  assert.equal(await effects.countDocuments({ n: 4 }), 1);
  await first.stop();
});

test('a process requests the state of a consumer from NATS ten times a second at most, and all that wait share the response', async (t) => {
  const { parts, build, event, envelope, effects } = await consumerSetting(t, insert);
  const name = parts.mongo.db.databaseName;
  const consumer = build();
  t.after(() => consumer.stop());
  consumer.start();
  await parts.broker.publish(event.subject, JSON.stringify(envelope(1)));
  await eventually(async () => (await effects.countDocuments({ n: 1 })) === 1);
  const position = await parts.broker.position({ name, subject: `${name}.>`, keepDays: 1 });
  const { manager } = await parts.broker.connected();
  const info = t.mock.method(manager.consumers, 'info');
  const began = performance.now();
  let answers = 0;
  for (let round = 0; round < 10; round += 1) {
    const waiting = await Promise.all(Array.from({ length: 40 }, () => consumer.progressTo(position)));
    answers += waiting.length;
  }
  const most = 1 + (performance.now() - began) / 100;
  const requests = info.mock.callCount();
  assert.equal(answers, 400);
  assert.ok(requests >= 1 && requests <= Math.ceil(most), `${requests} requests, at most ${most}`);
});
