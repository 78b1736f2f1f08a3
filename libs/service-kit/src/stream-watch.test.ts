import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountChanged } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createStreamWatch } from './stream-watch.ts';

test('a stream counts as lost only when it assigns a sequence again, even if it is checked while events are published', async (t) => {
  const parts = await testParts(t, 'gateway');
  const { broker, outbox, logger } = parts;
  const { db } = parts.mongo;
  broker.start();
  const publish = () => broker.publish(AccountChanged.subject, '{}', newId('event'));
  /** Called during a check, after the end of the stream was read. */
  let meanwhile = async () => {};
  const watch = createStreamWatch(
    {
      broker: {
        ...broker,
        async ensureStream(stream) {
          const seen = await broker.ensureStream(stream);
          await meanwhile();
          return seen;
        },
      },
      outbox,
      db,
      logger,
    },
    streams.platform,
  );
  const look = async () => {
    watch.soon();
    await watch.lookWhenDue();
  };
  const publishBatch = async (during = async () => {}) => {
    const before = watch.known();
    const acks = [await publish(), await publish()];
    await during();
    watch.acknowledged(acks, before);
  };
  await look();
  await publishBatch();

  await t.test('a check that sees a batch before its acks are counted', async () => {
    for (let n = 0; n < 3; n += 1) await publishBatch(look);
    await look();
    assert.equal(await watch.losses(), 0);
  });

  await t.test('a check that batches overtake', async () => {
    meanwhile = publishBatch;
    for (let n = 0; n < 3; n += 1) await look();
    meanwhile = async () => {};
    assert.equal(await watch.losses(), 0);
  });

  await t.test('a sequence that was assigned before the batch', async () => {
    watch.acknowledged([{ sequence: 1, duplicate: false }], watch.known());
    await look();
    assert.equal(await watch.losses(), 1);
  });
});
