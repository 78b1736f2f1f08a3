import { parseKeyring } from '@mp/contracts/keyring';
import { createRunner, untilDue } from '@mp/service-kit/runner';
import { createParts } from '@mp/service-kit/service-parts';

/** A row that is due at a time, and what the replica that did it notes. */
export type TimedJob = { _id: number; due_at: Date; done_at?: Date; looks?: number };

export const queueName = (index: number) => `queue_${index}`;

/** A replica of a service, in a process of its own, with a runner for each of some queues. */
if (import.meta.main) {
  const [name = '', NAMESPACE = '', database = '', queues = '', MONGODB_URL = '', NATS_URL = ''] = process.argv.slice(2);
  const keys = parseKeyring(`test:${Buffer.alloc(32, 1).toString('base64url')}`);
  const parts = createParts({
    ...{ name, NAMESPACE, database, MONGODB_URL, NATS_URL, LOG_LEVEL: 'warn' },
    ...{ CONTEXT_KEYS: keys, CURSOR_KEYS: keys },
  });
  const { mongo, logger, broker } = parts;
  await mongo.start(() => undefined);
  broker.start();
  await broker.connected();
  for (let index = 0; index < Number(queues); index += 1) {
    const jobs = mongo.db.collection<TimedJob>(queueName(index));
    let looks = 0;
    createRunner({
      logger,
      warning: 'cannot look for jobs',
      // It does not look by itself, so a job that is done was announced or timed.
      maxRestMs: 3_600_000,
      async work() {
        const now = new Date();
        const open = { done_at: { $exists: false } };
        looks += 1;
        const done = await jobs.findOneAndUpdate({ due_at: { $lte: now }, ...open }, { $set: { done_at: now, looks } });
        return done !== null || untilDue((await jobs.findOne(open, { sort: { due_at: 1 } }))?.due_at, now);
      },
    }).start();
  }
  console.log('ready');
}
