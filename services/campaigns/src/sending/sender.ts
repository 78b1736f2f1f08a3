import { backoff, pause } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoAway } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { CampaignsQueue, SendingLane } from '../campaigns/campaigns-queue.ts';
import type { Claimed, Outcome, RecipientsQueue } from '../recipients/recipients-queue.ts';
import type { RecordOutcomes } from '../recipients/record-outcomes.ts';
import { createLanes, type OpenLane } from './fair-queue.ts';
import { inBatches } from './in-batches.ts';
import { outcomeOf, type Retry } from './outcome-of.ts';
import type { PrepareBatch, Ready } from './prepare-batch.ts';
import type { Smtp } from './smtp-connections.ts';

export type SenderConfig = {
  /** Messages on their way to a connection at once; more than connections, so that none waits for messages. */
  slots: number;
  /** How long a claim holds before a row is anybody's again. */
  claimMs: number;
  /** How long a row may be at the mail server before it counts as lost there; longer than a delivery may take. */
  leaseMs: number;
  retry: Retry;
};

type Deps = {
  campaigns: CampaignsQueue;
  queue: RecipientsQueue;
  prepareBatch: PrepareBatch;
  recordOutcomes: RecordOutcomes;
  smtp: Smtp;
  /** Called for a campaign that had nothing due: it may be finished. */
  onNothingDue: (lane: OpenLane) => Promise<void>;
  suspended: Suspended;
  logger: Pick<Logger, 'warn' | 'info' | 'debug'>;
};

export type Sender = ReturnType<typeof createSender>;

const batchSize = 100;
const idleMs = 100;

/** How long a lane is taken for open while its message waits for a connection. */
const freshMs = 500;

/** A connection waits for its mark: one should not wait for those of all the others first. */
const marking = { largest: 100, atOnce: 4 };

/**
 * Carries due ledger rows to the mail server. Rows are claimed by lease; each is marked `sending` when it has a connection
 * and before its first byte leaves, and its outcome is written under the token of its claim. A crash in between leaves as
 * `unknown` at most as many rows as there are connections, and never causes a second mail.
 */
export function createSender(deps: Deps, config: SenderConfig) {
  const { campaigns, queue, prepareBatch, recordOutcomes, smtp, onNothingDue, suspended, logger } = deps;
  const { slots, claimMs, leaseMs, retry } = config;
  const lanes = createLanes({ campaigns, queue, suspended });
  const handingOver = createFailureLog(logger, 'the mail server is unavailable; emails stay queued');
  const working = createFailureLog(logger, 'sending a batch failed; retrying the emails that were not sent', { recoveredAfter: 10 });
  let inHand = 0;
  let failuresInRow = 0;
  let serverAwayUntil = 0;
  const inWork = new Set<Promise<void>>();
  const freeSlots: (() => void)[] = [];
  let inSlots = 0;

  const start = inBatches(async (items: readonly Ready[]) => {
    const started = await queue.startSending(
      items.map(({ row, mail }) => ({ row, address: mail.to, messageId: mail.messageId, links: mail.links })),
      leaseMs,
    );
    return ({ row }: Ready) => started.has(row._id);
  }, marking);

  const record = inBatches(async (items: readonly Outcome[]) => {
    await recordWhenPossible(items);
    return () => undefined;
  });

  /** What the mail server said must not be lost because the database is away or busy for a moment. */
  async function recordWhenPossible(outcomes: readonly Outcome[]) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await recordOutcomes(outcomes);
        return;
      } catch (error) {
        if (attempt > (isMongoAway(error) ? 100 : 10)) throw error;
        await pause(backoff(attempt, 100, 2_000));
      }
    }
  }

  async function takeSlot() {
    if (inSlots >= slots) await new Promise<void>((resolve) => freeSlots.push(resolve));
    else inSlots += 1;
  }

  function leaveSlot() {
    const next = freeSlots.shift();
    if (next) next();
    else inSlots -= 1;
  }

  const isOver = async (lane: OpenLane, signal: AbortSignal) =>
    signal.aborted || Date.now() < serverAwayUntil || !(await lanes.isOpen(lane));

  /** Hands one message over and returns what became of it; undefined when nothing is to be written. */
  async function deliver(lane: OpenLane, ready: Ready, signal: AbortSignal): Promise<Outcome | undefined> {
    const { row, mail } = ready;
    const giveBack = () => queue.release([row], new Date(Math.max(Date.now(), serverAwayUntil)));
    if (await isOver(lane, signal)) {
      await giveBack();
      return undefined;
    }
    const seenAt = Date.now();
    const delivery = await smtp.deliver({ from: mail.from, to: mail.to }, mail.raw, async () => {
      if (Date.now() - seenAt > freshMs && (await isOver(lane, signal))) {
        await giveBack();
        return undefined;
      }
      const markedAt = Date.now();
      return (await start(ready)) ? markedAt + leaseMs / 2 : undefined;
    });
    if (!delivery) return undefined;
    if (delivery.kind === 'unreachable') serverAway(delivery.error);
    else {
      failuresInRow = 0;
      handingOver.succeeded();
    }
    return outcomeOf(row, delivery, retry, new Date(serverAwayUntil));
  }

  function serverAway(error: string) {
    if (Date.now() < serverAwayUntil) return;
    handingOver.failed(new Error(error));
    serverAwayUntil = Date.now() + 50 + backoff(failuresInRow, 200, 5_000);
    failuresInRow += 1;
  }

  const giveBackAllowance = async (lane: OpenLane, count: number) => {
    if (isThrottled(lane)) await campaigns.giveBack(lane, count);
  };

  /** Works on a batch. What it took of the throttle's allowance and did not mail is given back, however it ends. */
  async function work(lane: OpenLane, rows: readonly Claimed[], signal: AbortSignal) {
    let allowance = rows.length;
    try {
      const { ready, decided, rest } = await prepareBatch(rows);
      await queue.release(rest);
      await allOf(decided.map((outcome) => record(outcome)));
      await giveBackAllowance(lane, decided.length + rest.length);
      allowance = ready.length;
      await allOf(
        ready.map(async (one) => {
          await takeSlot();
          const outcome = await deliver(lane, one, signal).finally(leaveSlot);
          if (!outcome) return;
          // One that is queued again did not leave.
          if (outcome.state !== 'queued') allowance -= 1;
          await record(outcome);
        }),
      );
    } finally {
      await giveBackAllowance(lane, allowance);
    }
  }

  /**
   * Holds a batch while this worker is alive, so that no other makes the same mails meanwhile; not for longer than
   * that, because consent was read when it was claimed. Returns what ends it.
   */
  function hold(rows: readonly Claimed[]): () => void {
    const until = Date.now() + 2 * claimMs;
    const timer = setInterval(() => {
      if (Date.now() > until) return clearInterval(timer);
      queue.renew(rows, claimMs).catch((error: unknown) => logger.debug({ err: error }, 'renewing a claim failed'));
    }, claimMs / 3);
    return () => clearInterval(timer);
  }

  /** Claims rows within the throttle's allowance, and gives back what is left of that. */
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

  /** Claims one batch and starts working on it. False when there was nothing to do. */
  async function turn(signal: AbortSignal): Promise<boolean> {
    const lane = await lanes.next();
    if (!lane) return false;
    const allowance = isThrottled(lane) ? await campaigns.reserve(lane, batchSize) : batchSize;
    const rows = allowance === 0 ? [] : await claim(lane, allowance);
    if (rows.length === 0) {
      lanes.rest(lane);
      if (allowance > 0) await onNothingDue(lane);
      return true;
    }
    inHand += rows.length;
    const letGo = hold(rows);
    const done = work(lane, rows, signal)
      .then(working.succeeded)
      .catch(async (error: unknown) => {
        working.failed(error, { lane: lane.key });
        await queue.release(rows, new Date(Date.now() + 500)).catch(() => undefined);
      })
      .finally(() => {
        letGo();
        inHand -= rows.length;
        inWork.delete(done);
        runner.wake();
      });
    inWork.add(done);
    return true;
  }

  const runner = createRunner({
    logger,
    warning: 'send loop failed; retrying',
    lookEveryMs: idleMs,
    async work(signal) {
      if (Date.now() >= serverAwayUntil) return inHand > 2 * batchSize ? 1_000 : turn(signal);
      // Nothing can leave before that, whoever wakes it.
      await pause(serverAwayUntil - Date.now(), signal);
      return true;
    },
  });

  return {
    start: runner.start,

    /** Claims nothing more, gives back what has not begun to leave, and waits for what has. */
    async stop() {
      await runner.stop();
      await Promise.allSettled(inWork);
      smtp.stop();
    },

    /** Something is due, paused or resumed: look at once instead of at the next turn. */
    wake() {
      lanes.refresh();
      runner.wake();
    },
  };
}

/** Waits for all of them, also when one has failed: what is at the mail server is still in work. */
async function allOf(deliveries: readonly Promise<void>[]) {
  const failed = (await Promise.allSettled(deliveries)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

const isThrottled = (lane: OpenLane): lane is SendingLane => 'throttlePerMinute' in lane && lane.throttlePerMinute !== null;
