import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import type { JsMsg } from '@nats-io/jetstream';
import { pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import { createEventPuller } from './pull-events.ts';

test('an event that waits for its turn longer than NATS waits for an acknowledgement is delivered once', async (t) => {
  const { broker, logger, mongo } = await testParts(t, 'kit');
  const name = mongo.db.databaseName;
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  broker.start();
  await broker.ensureStream(stream);
  const gate = Promise.withResolvers<void>();
  const received: JsMsg[] = [];
  const ackWaitMs = 900;
  const puller = createEventPuller({
    ...{ broker, stream, durable: `${name}-puller`, filter: `${name}.>`, window: 5, ackWaitMs },
    failures: createFailureLog(logger, 'stopped'),
    async receive(message) {
      received.push(message);
      await gate.promise;
      message.ack();
    },
  });
  puller.start();
  for (let n = 0; n < 5; n += 1) await broker.publish(`${name}.thing.done.v1`, `${n}`);
  await eventually(async () => received.length === 5);
  await pause(3 * ackWaitMs);
  gate.resolve();
  const { manager } = await broker.connected();
  const info = () => manager.consumers.info(broker.streamOf(name), `${name}-puller`);
  await eventually(async () => (await info()).ack_floor.stream_seq === 5);
  await puller.stop();
  assert.deepEqual([received.length, (await info()).num_redelivered], [5, 0]);
});
