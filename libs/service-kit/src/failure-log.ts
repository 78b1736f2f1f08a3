import { withoutValues } from './logged-error.ts';
import type { Logger } from './logger.ts';

export type FailureLog = ReturnType<typeof createFailureLog>;

type Options = {
  /** Fields of every line, such as the name of the consumer. */
  details?: Record<string, unknown>;
  /** Number of consecutive failures that are expected and not logged. */
  unloggedFailures?: number;
  /** Number of consecutive successes that count as a recovery; more than 1 where successes and failures alternate. */
  recoveredAfter?: number;
};

const everyNth = 10;

/** After this many consecutive failures, at most one line a minute reports their number. */
const everyNthUpTo = 100;
const minuteMs = 60_000;

/** A failure this long after the last one starts a new series, because not every caller reports successes. */
const forgottenMs = 5 * 60_000;

/**
 * Logs an operation that may fail for hours without flooding the log: the first of consecutive failures with its error, then every
 * tenth up to a hundred as one line without a stack, then at most one line a minute, and one line on recovery. Recoveries are
 * logged at most once a minute.
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
