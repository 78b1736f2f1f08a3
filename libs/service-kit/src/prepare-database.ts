import { backoff, pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import { isMongoUnavailable } from './mongo.ts';
import type { App, Parts } from './service-parts.ts';

/**
 * Resolves once MongoDB has every collection and index of the service, or the signal aborts. Waits while MongoDB is unavailable.
 * Throws errors that waiting does not fix, such as a unique index that the data violates.
 */
export async function prepareDatabase({ mongo, logger, prepare }: Parts, service: Pick<App, 'prepare'>, signal?: AbortSignal) {
  const log = createFailureLog(logger, 'MongoDB is unavailable; retrying');
  for (let attempt = 0; !signal?.aborted; attempt += 1) {
    await mongo.start(log.failed, signal);
    if (signal?.aborted) return;
    try {
      await prepare();
      await service.prepare();
      log.succeeded();
      return;
    } catch (error) {
      if (!isMongoUnavailable(error)) throw error;
      log.failed(error);
      await pause(backoff(attempt, 250, 2_000), signal);
    }
  }
}
