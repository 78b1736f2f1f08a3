import type { WebhookId } from '@mp/ids';
import { createCircuitBreakers } from '@mp/service-kit/circuit-breaker';
import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import { createCallBudget } from '../../receivers/call-budget.ts';
import type { Target, WebhooksStore } from '../definitions/webhooks-store.ts';
import { createClaimShares, type Share } from './claim-shares.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { Held } from './delivery-document.ts';
import { createDisableFailing } from './disable-failing.ts';
import type { ReportDelivered } from './report-delivered.ts';
import { nextAttemptAt } from './retry-schedule.ts';
import type { SendDelivery, Sent } from './send-delivery.ts';
import { createSettler } from './settler.ts';
import { createWaitingRequests, type Request } from './waiting-requests.ts';

export type Deliverer = ReturnType<typeof createDeliverer>;

type Deps = {
  mongo: Mongo;
  outbox: Pick<Outbox, 'add'>;
  logger: Logger;
  webhooks: WebhooksStore;
  deliveries: DeliveriesStore;
  sendDelivery: SendDelivery;
  reportDelivered: Pick<ReportDelivered, 'note'>;
  suspended: Pick<Suspended, 'has'>;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** Longer than an attempt takes. After a crash, the delivery is sent again with the same `webhook-id`. */
const usualLeaseMs = 45_000;

const maxPerWebhook = 8;
/** How many requests may be in-flight: one to probe a receiver that is down; the others wait without losing attempts. */
const roomIn = { closed: maxPerWebhook, half_open: 1, open: 0 };
const limits = { maxCalls: 512, maxPerAccount: 128, maxPerHost: maxPerWebhook };

/** A receiver that responds within this time has more claimed than is sent at once. */
const quickMs = 1_000;

const lookEveryMs = 1_000;

/**
 * Sends due deliveries. They are claimed and settled many at a time. Webhooks take turns, each with a few requests in-flight, so that
 * neither a slow receiver nor an account with many events delays the others.
 */
export function createDeliverer({ mongo, outbox, leaseMs = usualLeaseMs, ...deps }: Deps) {
  const { logger, webhooks, deliveries, sendDelivery, reportDelivered, suspended, clock } = deps;
  // It counts each webhook as a host.
  const budget = createCallBudget(limits);
  const claims = createClaimShares();
  const breakers = createCircuitBreakers((id: WebhookId) => id, {
    now: () => clock().getTime(),
    maxFailures: 5,
    pauseMs: 5_000,
    maxPauseMs: 60_000,
    max: 10_000,
  });
  const settle = createSettler({ deliveries, logger, clock });
  const disableFailing = createDisableFailing({ mongo, outbox, webhooks, logger });
  const waiting = createWaitingRequests();
  const inFlight = new Map<WebhookId, number>();
  /** Receivers whose latest response came quickly; only for these, more is claimed than is sent at once. */
  const quick = new Set<WebhookId>();
  /** Webhooks that may have more due deliveries than were claimed. */
  const unfinished = new Set<WebhookId>();
  const jobs = new Set<Promise<void>>();
  const stopping = new AbortController();
  const noting = createFailureLog(logger, 'cannot note the outcome of a delivery');
  const opening = createFailureLog(logger, 'cannot decrypt the secrets of a webhook; its deliveries wait');
  let turn = 0;

  const callOf = ({ id, accountId }: Target) => ({ account_id: accountId, host: id });
  /** A request that waits for longer is returned to the queue, so that it ends within its lease. */
  const oldest = (now: Date) => new Date(now.getTime() - leaseMs / 3);
  const roomFor = (id: WebhookId) => roomIn[breakers.find(id)?.state() ?? 'closed'] - (inFlight.get(id) ?? 0);

  /** Returns whether a receiver that was down accepts deliveries again. */
  function noteReceiver(id: WebhookId, { ok, isUp }: Sent): boolean {
    if (isUp) return breakers.succeeded(id) && ok;
    if (breakers.failed(id)) runner.wake();
    return false;
  }

  async function record(target: Target, held: Request, sent: Sent) {
    const now = clock();
    const [{ tries, test }] = held;
    const nextAt = sent.ok || sent.isGone || test ? null : nextAttemptAt(tries + 1, now, sent.retryAfterMs);
    const status = sent.ok ? 'delivered' : nextAt ? 'pending' : 'failed';
    const isUpAgain = !test && noteReceiver(target.id, sent);
    const isWritten = await settle(held.map((one) => ({ held: one, attempt: sent.attempt, status, nextAt })));
    if (test || !isWritten) return;
    if (sent.ok) reportDelivered.note(held);
    if (isUpAgain) await deliveries.retryNow(target.id, now);
    await disableFailing(target, sent, now);
  }

  async function deliver(target: Target, held: Request) {
    const { id } = target;
    let sent: Sent | undefined;
    try {
      sent = await sendDelivery(target, held, stopping.signal);
    } finally {
      budget.giveBack(callOf(target));
      inFlight.set(id, (inFlight.get(id) ?? 1) - 1);
      if (inFlight.get(id) === 0) inFlight.delete(id);
    }
    if (sent.ok && sent.attempt.duration_ms < quickMs) quick.add(id);
    else quick.delete(id);
    const recorded = stopping.signal.aborted && !sent.ok ? deliveries.release(held, clock()) : record(target, held, sent);
    sendWaiting();
    continueWith(id);
    await recorded;
  }

  function begin(target: Target, held: Request): boolean {
    if (stopping.signal.aborted || roomFor(target.id) <= 0 || !budget.take(callOf(target))) return false;
    inFlight.set(target.id, (inFlight.get(target.id) ?? 0) + 1);
    const send = () => deliver(target, held).catch((error: unknown) => noting.failed(error, { delivery: held[0].id }));
    const job = withLogContext({ account_id: target.accountId }, send).finally(() => {
      jobs.delete(job);
      claims.giveBack(target);
      continueWith(target.id);
    });
    jobs.add(job);
    return true;
  }

  function sendWaiting() {
    if (budget.room() > 0) waiting.each(oldest(clock()), begin);
  }

  function continueWith(id: WebhookId) {
    if (claims.isAnyLeftOut() || (unfinished.has(id) && waiting.count(id) < maxPerWebhook)) runner.wake();
  }

  /** Returns claimed requests to the queue. */
  async function release(requests: readonly Request[], at: Date) {
    if (requests.length === 0) return;
    for (const [{ webhookId, accountId }] of requests) claims.giveBack({ id: webhookId, accountId });
    await deliveries.release(requests.flat(), at);
  }

  /** What the webhook wants to claim. */
  function wanting(target: Target) {
    const { id, batch } = target;
    const waits = waiting.count(id);
    const isAhead = batch === null && quick.has(id) && breakers.find(id) === undefined && waits < maxPerWebhook;
    return { target, room: roomFor(id) - waits, isAhead };
  }

  /** Claims single deliveries of webhooks together. */
  async function claimSingle(wanted: readonly Share[], now: Date) {
    const leaseUntil = new Date(now.getTime() + leaseMs);
    let found: Map<WebhookId, Held[]> = new Map();
    try {
      const held = await deliveries.claim(
        wanted.map(({ target, limit }) => ({ webhookId: target.id, limit })),
        now,
        leaseUntil,
      );
      found = Map.groupBy(held, ({ webhookId }) => webhookId);
    } finally {
      for (const { target, limit } of wanted) {
        const own = found.get(target.id) ?? [];
        claims.giveBack(target, limit - own.length);
        if (own.length < limit) unfinished.delete(target.id);
        waiting.add(
          target,
          own.map((one) => [one]),
          now,
        );
      }
    }
  }

  /** Claims batches of one webhook. Returns when its next batch is ready, if it waits for more events. */
  async function claimBatches(target: Target, limit: number, now: Date): Promise<Date | undefined> {
    const { id: webhookId, batch } = target;
    let claimed = 0;
    try {
      while (batch !== null && claimed < limit) {
        const { held, readyAt } = await deliveries.claimBatch({ webhookId, batch, now, leaseUntil: new Date(now.getTime() + leaseMs) });
        const [first, ...others] = held;
        if (!first) {
          unfinished.delete(webhookId);
          return readyAt;
        }
        claimed += 1;
        waiting.add(target, [[first, ...others]], now);
      }
      return undefined;
    } finally {
      claims.giveBack(target, limit - claimed);
    }
  }

  /** Serves every webhook with due deliveries once, beginning with another one each time. */
  async function look(): Promise<boolean | number> {
    const now = clock();
    const old = waiting.takeOlder(oldest(now));
    for (const [{ webhookId }] of old) quick.delete(webhookId);
    await release(old, now);
    const due = claims.room() > 0 ? await deliveries.dueWebhooks(now) : [];
    const ids = [...new Set([...due, ...waiting.ids()])];
    if (ids.length === 0) return (await deliveries.hasLater(now)) && lookEveryMs;
    const targets = await webhooks.targets(ids, now);
    turn = (turn + 1) % ids.length;
    const isDue = new Set(due);
    const ended: WebhookId[] = [];
    const serving: Target[] = [];
    for (const id of [...ids.slice(turn), ...ids.slice(0, turn)]) {
      const target = targets.get(id);
      if (target instanceof Error) opening.failed(target, { webhook: id });
      const mayBeSent =
        target !== undefined && !(target instanceof Error) && target.status === 'active' && !suspended.has(target.accountId);
      if (!mayBeSent || breakers.find(id)?.state() === 'open') await release(waiting.takeAll(id), now);
      if (target === undefined || (!(target instanceof Error) && target.status !== 'active')) {
        ended.push(id);
        quick.delete(id);
        unfinished.delete(id);
      }
      if (!mayBeSent) continue;
      waiting.refresh(target);
      if (!isDue.has(id)) continue;
      unfinished.add(id);
      serving.push(target);
    }
    const shares = claims.share(serving.map(wanting));
    const single = shares.filter(({ target }) => target.batch === null);
    if (ended.length > 0) await deliveries.giveUp(ended, now);
    if (single.length > 0) await claimSingle(single, now);
    sendWaiting();
    let pauseMs = lookEveryMs;
    for (const { target, limit } of shares.filter(({ target: { batch } }) => batch !== null)) {
      const readyAt = await claimBatches(target, limit, now);
      sendWaiting();
      if (readyAt) pauseMs = Math.min(pauseMs, readyAt.getTime() - now.getTime());
    }
    return claims.canAnyContinue() || pauseMs;
  }

  const runner = createRunner({
    logger,
    warning: 'cannot look for due deliveries; retrying',
    backoffMs: { first: 200, max: 5_000 },
    work: look,
  });

  return {
    start: runner.start,

    /** Claims nothing new, and releases what it holds. */
    async stop() {
      await runner.stop();
      stopping.abort();
      const left = waiting.ids().flatMap((id) => waiting.takeAll(id));
      await Promise.allSettled([release(left, clock()), ...jobs]);
    },

    /** Looks for due deliveries now. */
    wake: runner.wake,
  };
}
