import type { Background } from '@mp/service-kit/runner';
import { createRunner } from '@mp/service-kit/runner';
import { attributeEvents } from './attribute-events.ts';
import { createEraser } from './eraser.ts';

type Deps = Parameters<typeof attributeEvents>[0] & Parameters<typeof createEraser>[0];

const sweepMs = 300;

/** Attributes earlier events to identified contacts, and clears the data of deleted ones, a chunk at a time. */
export function createAttributionWorker(deps: Deps): Background {
  const { visitors, logger } = deps;
  const erase = createEraser(deps);

  async function attributeAll(signal: AbortSignal) {
    while (!signal.aborted) {
      const visitor = await visitors.nextAttributing();
      if (!visitor) return;
      while (!signal.aborted && (await attributeEvents(deps, visitor.account_id, visitor.id)));
    }
  }

  return createRunner({
    logger,
    warning: 'attributing or erasing events failed; retrying',
    lookEveryMs: sweepMs,
    async work(signal) {
      await attributeAll(signal);
      return erase(signal);
    },
  });
}
