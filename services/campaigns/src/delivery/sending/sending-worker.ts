import type { AccountId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import { createBatcher } from '@mp/service-kit/batches';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import { createSlots } from '@mp/service-kit/slots';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { CampaignsQueue, SendingLane } from '../../campaigns/campaigns-queue.ts';
import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import type { Outcome, RecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';
import type { RecordOutcomes } from '../../ledger/recipients/record-outcomes.ts';
import type { DomainGate } from './domain-gate.ts';
import { createFairQueue, isUrgent, type OpenLane } from './fair-queue.ts';
import { createHandOver } from './hand-over.ts';
import { postponeForDomain } from './postpone-for-domain.ts';
import { gateKey, type PrepareBatch, type Ready } from './prepare-batch.ts';
import { outcomeOf, type Retry } from './retry-deferred.ts';
import { createServerHealth } from './server-health.ts';
import type { Smtp } from './smtp-connections.ts';
import type { Delivery } from './smtp-outcome.ts';

export type SendingConfig = {
  /** The maximum number of emails waiting for or using a connection; more than connections, so that no connection waits for an email. */
  slots: number;
  /** How long a claim lasts before another worker may claim the row. */
  claimMs: number;
  /** How long a row may be in `sending` before it counts as lost; longer than the timeout of a delivery. */
  leaseMs: number;
  retry: Retry;
  /** How long an email waits for a domain that is slow or rejects emails. */
  maxDomainWaitMs: number;
};

type Deps = {
  campaigns: CampaignsQueue;
  queue: RecipientsQueue;
  prepareBatch: PrepareBatch;
  recordOutcomes: RecordOutcomes;
  smtp: Smtp;
  gate: DomainGate;
  /** Called for a lane with nothing due, whose campaign may be finished. */
  onNothingDue: (lane: OpenLane) => Promise<void>;
  suspended: Suspended;
  /** The accounts that have stopped all sending but that of their messages. */
  paused: () => Promise<ReadonlySet<AccountId>>;
  logger: Pick<Logger, 'warn' | 'info' | 'debug'>;
};

/** `isClaimed`: whether this worker still holds the claim on the rows of a batch. */
type Turn = { signal: AbortSignal; isClaimed: () => boolean };

const batchSize = 100;

/** The outcomes of so many emails, or of so much time, are written in one transaction. No connection waits for it. */
const recording = { maxItems: 100, everyMs: 20 };

/** No more emails are claimed while more than this are in progress. */
const maxClaimed = 2 * batchSize;
const idleMs = 100;

/** How long a claim is renewed. */
const maxRenewedMs = ({ claimMs }: Pick<SendingConfig, 'claimMs'>) => 2 * claimMs;

/** How long rows can stay claimed. */
export const maxClaimedMs = (config: Pick<SendingConfig, 'claimMs'>) => maxRenewedMs(config) + config.claimMs;

/**
 * Sends due ledger rows to the mail server. Rows are claimed by lease; each is marked `sending` when the mail server waits for
 * its content, before the first byte of it, and its outcome is written under the token of its claim. A crash before the mark
 * leaves the row due. A crash after it leaves the row `unknown`, at most one for each connection, and causes no second email.
 */
export function createSendingWorker(deps: Deps, config: SendingConfig) {
  const { campaigns, queue, prepareBatch, recordOutcomes, smtp, gate, onNothingDue, suspended, paused, logger } = deps;
  const { slots, claimMs, leaseMs, retry, maxDomainWaitMs } = config;
  const lanes = createFairQueue({ campaigns, queue, suspended, paused });
  const freeSlots = createSlots(slots);
  const health = createServerHealth(logger);
  const handOver = createHandOver({ queue, smtp, health, isOpen: lanes.isOpen, leaseMs });
  const working = createFailureLog(logger, 'sending a batch failed; its unsent emails stay queued', { recoveredAfter: 10 });
  let claimedCount = 0;
  let urgentCount = 0;
  const inProgress = new Set<Promise<void>>();

  const record = createBatcher(async (items: readonly Outcome[]) => {
    await recordWhenPossible(items);
    return () => undefined;
  }, recording);

  /** Retries, so that responses of the mail server are not lost while the database is unavailable or busy. */
  async function recordWhenPossible(outcomes: readonly Outcome[]) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await recordOutcomes(outcomes);
        return;
      } catch (error) {
        if (attempt > (isMongoUnavailable(error) ? 100 : 10)) throw error;
        await pause(backoff(attempt, 100, 2_000));
      }
    }
  }

  /**
   * Sends one email as soon as its receiving domain and a slot allow it. Returns its outcome; undefined if there is nothing to write.
   * If its claim ends while it waits, it is not tried: it would take a connection only to be withdrawn, and so keep others waiting.
   */
  async function deliver(lane: OpenLane, ready: Ready, { signal, isClaimed }: Turn): Promise<Outcome | undefined> {
    const { row, mail } = ready;
    const visit = await gate.enter(gateKey(row.account_id, mail.to), isUrgent(lane));
    if (visit instanceof Date) {
      const waits = postponeForDomain(row, visit, maxDomainWaitMs);
      if ('state' in waits) return waits;
      await queue.postpone([waits]);
      return undefined;
    }
    let delivery: Delivery | undefined;
    let outcome: Outcome | undefined;
    // Messages do not wait behind the emails of campaigns.
    await freeSlots.take(isUrgent(lane));
    try {
      if (!isClaimed()) return undefined;
      delivery = await handOver(lane, ready, { visit, signal, isClaimed });
      outcome = delivery && { ...outcomeOf(row, { delivery, retry, serverBackAt: new Date(health.unavailableUntil()) }), address: mail.to };
    } finally {
      freeSlots.leave();
      const restsUntil = visit.leave(delivery, row.attempts > 0);
      if (restsUntil && outcome?.dueAt && outcome.dueAt < restsUntil) outcome = { ...outcome, dueAt: restsUntil };
    }
    return outcome;
  }

  const giveBackAllowance = async (lane: OpenLane, count: number) => {
    if (isThrottled(lane)) await campaigns.giveBack(lane, count);
  };

  /**
   * Processes a batch; `done` is called with the number of rows that are done. In any case, the unused part of its throttle
   * allowance is returned.
   */
  async function work(lane: OpenLane, rows: readonly Claimed[], { done, ...its }: Turn & { done: (count: number) => void }) {
    let allowance = rows.length;
    try {
      const { ready, decided, rest, postponed } = await prepareBatch(rows);
      await queue.release(rest);
      await queue.postpone(postponed);
      await allOf(decided.map((outcome) => record(outcome)));
      await giveBackAllowance(lane, decided.length + rest.length + postponed.length);
      done(decided.length + rest.length + postponed.length);
      allowance = ready.length;
      await allOf(
        ready.map(async (one) => {
          const outcome = await deliver(lane, one, its).finally(() => done(1));
          if (!outcome) return;
          // An email that is queued again was not sent.
          if (outcome.state !== 'queued') allowance -= 1;
          await record(outcome);
        }),
      );
    } finally {
      await giveBackAllowance(lane, allowance);
    }
  }

  /**
   * Renews the claim on a batch, so that no other worker composes the same emails. For a limited time, because consent was
   * checked when the batch was claimed.
   */
  function keepClaimed(rows: readonly Claimed[], claimedAt: number) {
    const until = claimedAt + maxRenewedMs({ claimMs });
    let endsAt = claimedAt + claimMs;
    const renew = async () => {
      const now = Date.now();
      await queue.renew(rows, claimMs);
      endsAt = now + claimMs;
    };
    const timer = setInterval(() => {
      if (Date.now() > until) return clearInterval(timer);
      renew().catch((error: unknown) => logger.debug({ err: error }, 'renewing a claim failed'));
    }, claimMs / 3);
    return { isClaimed: () => Date.now() < endsAt, stopRenewing: () => clearInterval(timer) };
  }

  /** Claims rows within the throttle's allowance and returns the rest of it. */
  async function claim(lane: OpenLane, allowance: number): Promise<Claimed[]> {
    let left = allowance;
    try {
      const rows = await queue.claim(lane, allowance, claimMs);
      left -= rows.length;
      return rows;
    } finally {
      await giveBackAllowance(lane, left);
    }
  }

  function count(lane: OpenLane, added: number) {
    if (isUrgent(lane)) urgentCount += added;
    else claimedCount += added;
  }

  /** Claims one batch and starts processing it. Returns false if there was nothing to do. */
  async function turn(signal: AbortSignal, onlyUrgent = false): Promise<boolean> {
    const lane = await lanes.next(onlyUrgent);
    if (!lane) return false;
    const allowance = isThrottled(lane) ? await campaigns.reserve(lane, batchSize) : batchSize;
    const claimedAt = Date.now();
    const rows = allowance === 0 ? [] : await claim(lane, allowance);
    if (rows.length === 0) {
      lanes.rest(lane);
      if (allowance > 0) await onNothingDue(lane);
      return true;
    }
    count(lane, rows.length);
    let left = rows.length;
    /** Rows that wait for a slow domain do not keep others from being claimed. */
    const finished = (some: number) => {
      const wasFull = claimedCount > maxClaimed;
      left -= some;
      count(lane, -some);
      if (wasFull && claimedCount <= maxClaimed) runner.wake();
    };
    const { isClaimed, stopRenewing } = keepClaimed(rows, claimedAt);
    const send = () =>
      work(lane, rows, { signal, isClaimed, done: finished })
        .then(working.succeeded)
        .catch(async (error: unknown) => {
          working.failed(error, { lane: lane.key });
          await queue.release(rows, new Date(Date.now() + 500)).catch(() => undefined);
        });
    const done = withLogContext({ account_id: lane.accountId }, send).finally(() => {
      stopRenewing();
      count(lane, -left);
      inProgress.delete(done);
      runner.wake();
    });
    inProgress.add(done);
    return true;
  }

  const runner = createRunner({
    logger,
    warning: 'send loop failed; retrying',
    lookEveryMs: idleMs,
    async work(signal) {
      if (Date.now() >= health.unavailableUntil()) {
        const onlyUrgent = claimedCount > maxClaimed;
        if (urgentCount > maxClaimed) return 1_000;
        if (await turn(signal, onlyUrgent)) return true;
        return onlyUrgent ? 250 : lanes.awaitsTime() && idleMs;
      }
      // Nothing can be sent before that, even if the runner is woken.
      await pause(health.unavailableUntil() - Date.now(), signal);
      return true;
    },
  });

  return {
    start: runner.start,

    /** Stops claiming, releases rows that are not being sent yet, and waits for those that are. */
    async stop() {
      await runner.stop();
      await Promise.allSettled(inProgress);
      smtp.stop();
    },

    /** Refreshes at once, because something is due, paused or resumed. */
    wake() {
      lanes.refresh();
      runner.wake();
    },
  };
}

/** Waits for all of them, even after a failure, because the others may still be at the mail server. */
async function allOf(deliveries: readonly Promise<void>[]) {
  const failed = (await Promise.allSettled(deliveries)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

const isThrottled = (lane: OpenLane): lane is SendingLane => 'throttlePerMinute' in lane && lane.throttlePerMinute !== null;
