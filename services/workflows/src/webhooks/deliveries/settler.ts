import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { Result } from './settle.ts';

/** Results are written together: those of this time, or this many, whichever comes first. */
const windowMs = 10;
const maxResults = 100;

/** When deliveries whose results cannot be written are sent again. */
const againMs = 5_000;

type Deps = { deliveries: Pick<DeliveriesStore, 'settle' | 'release'>; logger: Logger; clock: Clock };

/** Writes the results of attempts by the hundred. A process that is killed repeats the requests whose results it has not written. */
export function createSettler({ deliveries, logger, clock }: Deps) {
  const recording = createFailureLog(logger, 'cannot record deliveries; retrying');
  let waiting: { results: Result[]; written: Promise<boolean>; write: () => void } | undefined;

  async function write(results: readonly Result[]): Promise<boolean> {
    try {
      await deliveries.settle(results);
      recording.succeeded();
      return true;
    } catch (error) {
      recording.failed(error, { deliveries: results.length });
      const held = results.map((result) => result.held);
      await deliveries.release(held, new Date(clock().getTime() + againMs)).catch(() => undefined);
      return false;
    }
  }

  function begin() {
    const results: Result[] = [];
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const window = { results, written: promise, write: () => void finish() };
    const timer = setTimeout(window.write, windowMs);
    const finish = () => {
      clearTimeout(timer);
      if (waiting === window) waiting = undefined;
      void write(results).then(resolve);
    };
    return window;
  }

  /** Resolves once they are written, and to false if they cannot be: then they are sent again. */
  return (results: readonly Result[]): Promise<boolean> => {
    waiting ??= begin();
    const { written, write: writeNow } = waiting;
    waiting.results.push(...results);
    if (waiting.results.length >= maxResults) writeNow();
    return written;
  };
}
