import type { Db } from 'mongodb';
import type { Logger } from './logger.ts';
import { prepareCollection } from './mongo.ts';
import { type Background, createRunner } from './runner.ts';

type OnceDocument = { _id: string; after: string | null; done: boolean };

const restMs = 60 * 60 * 1_000;

/**
 * Work to do once per database, such as publishing data that an earlier release did not, in batches in the background. `batch`
 * returns the start of the next batch, null at the end. A batch may be repeated, after a crash or by replicas that start at the
 * same time.
 */
export function createOnce(
  { db, logger }: { db: Db; logger: Logger },
  name: string,
  batch: (after: string | null) => Promise<string | null>,
): Background & { prepare: () => Promise<void> } {
  const once = db.collection<OnceDocument>('once');
  const runner = createRunner({
    logger,
    warning: `${name} failed; retrying`,
    async work() {
      const known = await once.findOne({ _id: name });
      if (known?.done) return restMs;
      const after = await batch(known?.after ?? null);
      await once.updateOne({ _id: name }, { $set: { after, done: after === null } }, { upsert: true });
      return true;
    },
  });
  return { prepare: () => prepareCollection(once, [], db), start: runner.start, stop: runner.stop };
}
