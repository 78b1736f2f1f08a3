import { randomUUID } from 'node:crypto';
import type { AccountId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import { type Counting, countEvents } from './count-events.ts';
import type { LeasesStore } from './leases-store.ts';

/** How often it looks for events that another process stored but did not count. */
const sweepMs = 500;
const leaseMs = 5_000;

/** The accounts that one process counts concurrently, and the batches of one account before it moves on. */
const lanes = 4;
const batchesInARow = 20;

/** Counts accepted events of all accounts in turn. Only one process at a time counts an account. */
export function createCounter(deps: Counting & { leases: LeasesStore; logger: Logger }): Runner {
  const { events, leases, logger } = deps;
  const owner = randomUUID();

  /** Returns true if there may be more. */
  async function countAccount(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    if (!(await leases.take(accountId, owner, leaseMs))) return false;
    try {
      for (let batches = 0; batches < batchesInARow && !signal.aborted; batches += 1) {
        const counted = await countEvents(deps, accountId);
        if (counted === 0) return false;
        await leases.take(accountId, owner, leaseMs);
      }
      return true;
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      logger.warn({ err: error }, 'counting a batch of events failed; counting them one by one');
      return await countOne(accountId, signal);
    } finally {
      await leases.release(accountId, owner).catch(() => undefined);
    }
  }

  /** Counts only the oldest event, after a failed batch. An event that fails repeatedly is set aside with the reason. */
  async function countOne(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    const [oldest] = await events.pendingOf(accountId, 1);
    if (!oldest) return false;
    try {
      await countEvents(deps, accountId, 1);
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      const parked = await events.noteFailure(oldest.id, error instanceof Error ? error.message : String(error));
      if (parked) logger.error({ err: error, event: oldest.id }, 'event set aside: counting it failed repeatedly');
      else await pause(backoff(3, 20, 500), signal);
    }
    return true;
  }

  /** Returns true if there may be more. */
  async function round(signal: AbortSignal): Promise<boolean> {
    const accounts = await events.accountsWithPending();
    let more = false;
    const lane = async () => {
      for (let account = accounts.pop(); account !== undefined && !signal.aborted; account = accounts.pop()) {
        const accountId = account;
        more = (await withLogContext({ account_id: accountId }, () => countAccount(accountId, signal))) || more;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return more;
  }

  return createRunner({ logger, warning: 'counting events failed; retrying', lookEveryMs: sweepMs, work: round });
}
