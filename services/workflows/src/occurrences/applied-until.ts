import type { KnownPositions, Publisher } from '@mp/contracts/requests/positions';
import { requestPositions } from '@mp/contracts/requests/request-positions';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { type Clock, latest } from '@mp/service-kit/clock';
import type { Consumer } from '@mp/service-kit/consume';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import { maxLateMs } from '../runs/run-watches.ts';

export type AppliedUntil = ReturnType<typeof createAppliedUntil>;

type Deps = {
  broker: Pick<Broker, 'request' | 'ready'>;
  /** Those that apply occurrences to runs. */
  consumers: readonly Pick<Consumer, 'reads' | 'progressTo'>[];
  logger: Pick<Logger, 'warn' | 'info' | 'debug'>;
  clock: Clock;
};

/** One look at how far the consumers of an account's events are, which all runs that are due by `covers` share. */
type Check = { covers: Date; whereabouts: KnownPositions; isApplied: boolean; looking?: Promise<void> | undefined; lookedAt: number };

const replyMs = 2_000;
const unavailableMs = 2_000;
const shortestMs = 100;
const longestMs = 30_000;
const maxChecks = 10_000;

/** The positions to request before those of a publisher, whose events depend on them. */
const sources = {
  contacts: ['contacts'],
  campaigns: ['campaigns'],
  leadpulse: ['contacts', 'leadpulse'],
  segments: ['contacts', 'leadpulse', 'campaigns', 'segments'],
} as const satisfies Partial<Record<Publisher, readonly Publisher[]>>;

/**
 * Finds out whether everything that a run watches for has been applied up to a time, so that a delay in processing does not
 * change the path of the run: the publishers report positions that include what they had confirmed by then, and the consumers
 * whether they have reached them. Runs of an account share the checks, so many that are due together cost a few requests.
 */
export function createAppliedUntil({ broker, consumers, logger, clock }: Deps) {
  const checks = new Map<string, Check>();
  const failures = createFailureLog(logger, 'runs continue although what happened to their contacts may not have been applied');
  /** Since when NATS has been available to this process. */
  let availableSince = clock();

  async function look(check: Check, accountId: AccountId, publisher: keyof typeof sources) {
    try {
      const known = check.whereabouts;
      check.whereabouts = await requestPositions(
        (request, data) => broker.request(request, data, replyMs),
        accountId,
        sources[publisher],
        known,
      );
      const position = check.whereabouts[publisher]?.position;
      if (!position) return;
      const own = consumers.filter(({ reads }) => reads.stream.name === position.stream);
      const progress = await Promise.all(own.map((consumer) => consumer.progressTo(position)));
      // The stream lost events, and its publisher publishes them again: at other positions.
      if (progress.includes('lost')) check.whereabouts = {};
      else check.isApplied = !progress.includes('behind');
    } catch (error) {
      logger.debug({ err: error, publisher }, 'cannot find out whether events have been applied; retrying');
    } finally {
      check.lookedAt = performance.now();
      check.looking = undefined;
    }
  }

  function begin(key: string): Check {
    const check = { covers: clock(), whereabouts: {}, isApplied: false, lookedAt: Number.NEGATIVE_INFINITY };
    checks.set(key, check);
    const [oldest] = checks.keys();
    if (checks.size > maxChecks && oldest !== undefined) checks.delete(oldest);
    return check;
  }

  /** The milliseconds until the next look; 0 once the events of the publisher have been applied. */
  async function checked(accountId: AccountId, publisher: keyof typeof sources, at: Date): Promise<number> {
    const key = `${accountId} ${publisher}`;
    for (;;) {
      const check = checks.get(key) ?? begin(key);
      const age = clock().getTime() - check.covers.getTime();
      if (!check.isApplied) {
        if (performance.now() - check.lookedAt >= shortestMs) {
          check.looking ??= look(check, accountId, publisher);
          await check.looking;
        }
        if (!check.isApplied) return Math.min(longestMs, Math.max(shortestMs, age / 4));
      }
      if (check.covers >= at) return 0;
      if (age < shortestMs) return shortestMs;
      if (checks.get(key) === check) checks.delete(key);
    }
  }

  /**
   * Returns 0 when everything that the keys in `watches` name, and that was confirmed by `at`, has been applied; otherwise after how
   * many milliseconds to ask again. Gives up 15 minutes after `at`, not counting the time in which NATS was unavailable.
   */
  return async function appliedUntil(accountId: AccountId, watches: readonly string[], at: Date): Promise<number> {
    if (watches.length === 0) return 0;
    if (!broker.ready()) {
      availableSince = clock();
      return unavailableMs;
    }
    const publishers = [...new Set(watches.map(publisherOf))];
    const waits = Math.max(...(await Promise.all(publishers.map((publisher) => checked(accountId, publisher, at)))));
    if (waits === 0) return 0;
    if (clock().getTime() - latest(at, availableSince).getTime() < maxLateMs) return waits;
    failures.failed(new Error(`Behind for ${maxLateMs / 60_000} minutes.`), { publishers });
    return 0;
  };
}

/** The publisher of what a key of `watchesOf` names. */
function publisherOf(watch: string): keyof typeof sources {
  if (watch.startsWith('event ')) return 'leadpulse';
  if (watch.startsWith('segment_')) return 'segments';
  return watch.startsWith('message_') ? 'campaigns' : 'contacts';
}
