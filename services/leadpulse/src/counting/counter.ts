import { randomUUID } from 'node:crypto';
import { backoff, pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoAway } from '@mp/service-kit/mongo';
import type { Background } from '@mp/service-kit/parts';
import { type Counting, countEvents } from './count-events.ts';
import type { LeasesStore } from './leases-store.ts';

/** How soon it finds what another process stored and did not count. */
const sweepMs = 500;
const leaseMs = 5_000;

/** Accounts at once in one process; and how much of one before the others are looked at again. */
const lanes = 4;
const batchesInARow = 20;

/** Counts what was accepted, for all accounts in turn, each by one process at a time. */
export function createCounter(deps: Counting & { leases: LeasesStore; logger: Logger }): Background & { wake: () => void } {
  const { events, leases, logger } = deps;
  const owner = randomUUID();
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();

  /** True when there may be more. */
  async function countAccount(accountId: string): Promise<boolean> {
    if (!(await leases.take(accountId, owner, leaseMs))) return false;
    try {
      for (let batches = 0; batches < batchesInARow && !stopping.signal.aborted; batches += 1) {
        const counted = await countEvents(deps, accountId);
        if (counted === 0) return false;
        await leases.take(accountId, owner, leaseMs);
      }
      return true;
    } catch (error) {
      if (isMongoAway(error)) throw error;
      logger.warn({ err: error, account: accountId }, 'events not counted; trying them one by one');
      return await countOne(accountId);
    } finally {
      await leases.release(accountId, owner).catch(() => undefined);
    }
  }

  /** After a failed batch: the oldest event alone. One that keeps failing is set aside, with its reason. */
  async function countOne(accountId: string): Promise<boolean> {
    const [oldest] = await events.pendingOf(accountId, 1);
    if (!oldest) return false;
    try {
      await countEvents(deps, accountId, 1);
    } catch (error) {
      if (isMongoAway(error)) throw error;
      const parked = await events.noteFailure(oldest.id, error instanceof Error ? error.message : String(error));
      if (parked) logger.error({ err: error, event: oldest.id }, 'event set aside: counting it kept failing');
      else await pause(backoff(3, 20, 500), stopping.signal);
    }
    return true;
  }

  /** True when there may be more. */
  async function round(): Promise<boolean> {
    const accounts = await events.accountsWithPending();
    let more = false;
    const lane = async () => {
      for (let account = accounts.pop(); account !== undefined && !stopping.signal.aborted; account = accounts.pop())
        more = (await countAccount(account)) || more;
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return more;
  }

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      nap = new AbortController();
      try {
        const more = await round();
        failures = 0;
        if (!more) await pause(sweepMs, AbortSignal.any([nap.signal, stopping.signal]));
      } catch (error) {
        if (failures % 10 === 0) logger.warn({ err: error }, 'events wait to be counted');
        await pause(backoff(failures, 100, 2_000), stopping.signal);
        failures += 1;
      }
    }
  }

  return {
    start() {
      running = run();
    },
    /** There is something to count. */
    wake: () => nap.abort(),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
