import type { AccountId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable, isUnavailable } from '@mp/service-kit/mongo';
import type { NamedLeases } from '@mp/service-kit/named-leases';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { Event } from '../events/event.ts';
import { createBatchSizes } from './batch-sizes.ts';
import { type Counting, countBatch, nextBatch } from './count-events.ts';

/** How often it looks for events that another process stored but did not count. */
const sweepMs = 500;
const leaseMs = 5_000;

/** The accounts that one process counts concurrently. */
const maxAccounts = 4;

/**
 * Counts accepted events of all accounts, a batch at a time: the next is of the account whose turn is longest ago, so that an account
 * with many events delays the others by a batch at most. Only one process at a time counts an account.
 */
export function createCounter(deps: Counting & { leases: Pick<NamedLeases, 'take' | 'release'>; logger: Logger }): Runner {
  const { events, leases, logger } = deps;

  /** The accounts that this process counts now, and those that it has counted, the latest last. */
  const inTurn = new Set<AccountId>();
  const counted = new Set<AccountId>();
  const sizes = createBatchSizes();

  /** Counts a batch. Returns false if there is none, or another process counts the account. */
  async function countAccount(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    if (!(await leases.take(accountId, leaseMs))) return false;
    try {
      const batch = await nextBatch(deps, accountId, sizes.of(accountId));
      const began = performance.now();
      try {
        const count = await countBatch(deps, accountId, batch);
        sizes.counted(accountId, batch.length, performance.now() - began);
        return count > 0;
      } catch (error) {
        if (isMongoUnavailable(error)) throw error;
        sizes.failed(accountId, batch.length);
        const [oldest, ...others] = batch;
        if (others.length > 0) logger.warn({ err: error }, 'counting a batch of events failed; retrying with half of it');
        else if (oldest) await noteFailure(oldest, error, signal);
        return true;
      }
    } finally {
      await leases.release(accountId).catch(() => undefined);
    }
  }

  /** An event that fails repeatedly on its own is set aside with the reason. */
  async function noteFailure({ id }: Event, error: unknown, signal: AbortSignal) {
    // Conflicts with other writes are not the fault of the event.
    if (isUnavailable(error)) throw error;
    const parked = await events.noteFailure(id, error instanceof Error ? error.message : String(error));
    if (parked) logger.error({ err: error, event: id }, 'event set aside: counting it failed repeatedly');
    else await pause(backoff(3, 20, 500), signal);
  }

  /** The accounts with events to count, those that had no turn before those that had. */
  async function waiting(): Promise<AccountId[]> {
    const pending = new Set(await events.accountsWithPending());
    for (const accountId of counted) if (!pending.has(accountId)) counted.delete(accountId);
    return [...[...pending].filter((accountId) => !counted.has(accountId)), ...counted];
  }

  /** Returns whether it counted a batch. */
  async function countNext(signal: AbortSignal): Promise<boolean> {
    for (const accountId of await waiting()) {
      if (signal.aborted) return false;
      if (inTurn.has(accountId)) continue;
      inTurn.add(accountId);
      counted.delete(accountId);
      counted.add(accountId);
      try {
        if (await withLogContext({ account_id: accountId }, () => countAccount(accountId, signal))) return true;
      } finally {
        inTurn.delete(accountId);
      }
    }
    return false;
  }

  const runners = Array.from({ length: maxAccounts }, () =>
    createRunner({ logger, warning: 'counting events failed; retrying', lookEveryMs: sweepMs, work: countNext }),
  );
  return {
    start() {
      for (const runner of runners) runner.start();
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
    wake() {
      for (const runner of runners) runner.wake();
    },
  };
}
