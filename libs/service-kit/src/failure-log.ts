import { withoutValues } from './logged-error.ts';
import type { Logger } from './logger.ts';

export type FailureLog = ReturnType<typeof createFailureLog>;

type Options = {
  /** Written with every line, such as which consumer it is. */
  details?: Record<string, unknown>;
  /** So many failures in a row are normal and are not logged. */
  unloggedFailures?: number;
  /** So many successes in a row are a recovery: more than one where successes and failures alternate. */
  recoveredAfter?: number;
};

const everyNth = 10;

/** After so many failures in a row a line a minute says how many they are by now. */
const everyNthUpTo = 100;
const minuteMs = 60_000;

/** A failure so long after the one before is the first of others: not everything that fails also says when it works. */
const forgottenMs = 5 * 60_000;

/**
 * What the log says of something that may fail for hours: the first failure in a row with its error, then every tenth up to
 * a hundred as one line without a stack, then one line a minute at most, and one when it works again. What fails and works
 * by turns recovers once a minute at most.
 */
export function createFailureLog(
  logger: Pick<Logger, 'warn' | 'info'>,
  what: string,
  { details = {}, unloggedFailures = 0, recoveredAfter = 1 }: Options = {},
) {
  let failures = 0;
  let successes = 0;
  let since = 0;
  let lastAt = 0;
  let loggedAt = 0;
  let recoveredAt = Number.NEGATIVE_INFINITY;

  return {
    failed(error: unknown, more: Record<string, unknown> = {}) {
      const now = Date.now();
      if (now - lastAt > forgottenMs) failures = 0;
      if (failures === 0) since = now;
      lastAt = now;
      successes = 0;
      failures += 1;
      const counted = failures - unloggedFailures;
      if (counted < 1) return;
      const isDue = counted <= everyNthUpTo ? counted % everyNth === 0 : now - loggedAt >= minuteMs;
      if (counted > 1 && !isDue) return;
      loggedAt = now;
      if (counted === 1) logger.warn({ ...details, ...more, err: error }, what);
      else logger.warn({ ...details, ...more, failures, reason: reasonOf(error) }, what);
    },

    succeeded() {
      if (failures === 0) return;
      successes += 1;
      if (successes < recoveredAfter) return;
      const now = Date.now();
      if (failures > unloggedFailures) {
        if (now - recoveredAt < minuteMs) return;
        recoveredAt = now;
        logger.info({ ...details, failures, seconds: Math.round((now - since) / 1_000) }, `${what}: recovered`);
      }
      failures = 0;
    },
  };
}

const reasonOf = (error: unknown) => (error instanceof Error ? withoutValues(error.message) : typeof error);
