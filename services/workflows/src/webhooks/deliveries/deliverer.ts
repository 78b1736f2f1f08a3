import { WebhookDisabled } from '@mp/contracts/events/workflows';
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
import type { Target, WebhooksStore } from '../endpoints/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { Held } from './delivery-document.ts';
import type { ReportDelivered } from './report-delivered.ts';
import { nextAttemptAt } from './schedule.ts';
import type { SendDelivery, Sent } from './send-delivery.ts';

export type Deliverer = ReturnType<typeof createDeliverer>;

type Deps = {
  mongo: Mongo;
  outbox: Pick<Outbox, 'add'>;
  logger: Logger;
  webhooks: WebhooksStore;
  deliveries: DeliveriesStore;
  sendDelivery: SendDelivery;
  reportDelivered: Pick<ReportDelivered, 'note'>;
  suspended: Suspended;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** Longer than an attempt takes. After a crash, the delivery is sent again with the same `webhook-id`. */
const usualLeaseMs = 45_000;

const maxPerWebhook = 8;
/** How many deliveries may be in-flight: one to probe a receiver that is down; the others wait without losing attempts. */
const roomIn = { closed: maxPerWebhook, half_open: 1, open: 0 };
const limits = { maxCalls: 512, maxPerAccount: 128, maxPerHost: maxPerWebhook };

/** A webhook whose attempts have only failed for this long is disabled. */
const maxFailingMs = 5 * 24 * 60 * 60 * 1_000;

const againMs = 5_000;
const lookEveryMs = 1_000;

/** What one request sends: a delivery, or those of a batch. */
type Request = readonly [Held, ...Held[]];

/**
 * Sends due deliveries. Webhooks take turns, each with a few deliveries in-flight, so that neither a slow receiver nor an account
 * with many events delays the others.
 */
export function createDeliverer({ mongo, outbox, leaseMs = usualLeaseMs, ...deps }: Deps) {
  const { logger, webhooks, deliveries, sendDelivery, reportDelivered, suspended, clock } = deps;
  // The budget counts each webhook as a host.
  const budget = createCallBudget(limits);
  const breakers = createCircuitBreakers((id: WebhookId) => id, {
    now: () => clock().getTime(),
    maxFailures: 5,
    pauseMs: 5_000,
    maxPauseMs: 60_000,
    max: 10_000,
  });
  const inFlight = new Map<string, number>();
  const jobs = new Set<Promise<void>>();
  const stopping = new AbortController();
  const recording = createFailureLog(logger, 'cannot record a delivery; retrying');
  const opening = createFailureLog(logger, 'cannot decrypt the secrets of a webhook; its deliveries wait');
  let turn = 0;

  async function record(target: Target, held: Request, sent: Sent) {
    const now = clock();
    const [{ tries, test }] = held;
    const nextAt = sent.ok || sent.isGone || test ? null : nextAttemptAt(tries + 1, now, sent.retryAfterMs);
    await deliveries.settle(held, sent.attempt, sent.ok ? 'delivered' : nextAt ? 'pending' : 'failed', nextAt);
    if (test) return;
    if (sent.ok) reportDelivered.note(held);
    if (!sent.isUp) breakers.failed(target.id);
    else if (breakers.succeeded(target.id) && sent.ok) await deliveries.retryNow(target.id, now);
    const failingSince = await webhooks.noteOutcome(target, sent.ok, now);
    if (sent.isGone) await disable(target, 'gone', now);
    else if (failingSince && now.getTime() - failingSince.getTime() >= maxFailingMs) await disable(target, 'failing', now);
  }

  async function disable(target: Target, reason: 'gone' | 'failing', now: Date) {
    const { id, accountId, url } = target;
    await mongo.transaction({ correlationId: id, causationId: null }, async (tx) => {
      if (!(await webhooks.disable(tx, target, reason, now))) return;
      await outbox.add(tx, WebhookDisabled, accountId, { webhook_id: id, url, reason, at: now.toISOString() });
      tx.afterCommit(() => logger.warn({ webhook: id, account_id: accountId, reason }, 'webhook disabled'));
    });
  }

  async function deliver(target: Target, held: Request) {
    const sent = await sendDelivery(target, held, stopping.signal);
    if (stopping.signal.aborted && !sent.ok) return deliveries.release(held, clock());
    await record(target, held, sent);
  }

  function begin(target: Target, held: Request) {
    const { id } = target;
    inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    const send = () =>
      deliver(target, held).catch(async (error: unknown) => {
        recording.failed(error, { delivery: held[0].id });
        await deliveries.release(held, new Date(clock().getTime() + againMs)).catch(() => undefined);
      });
    const job = withLogContext({ account_id: target.accountId }, send).finally(() => {
      jobs.delete(job);
      giveBack(target, 1);
      inFlight.set(id, (inFlight.get(id) ?? 1) - 1);
      if (inFlight.get(id) === 0) inFlight.delete(id);
      runner.wake();
    });
    jobs.add(job);
  }

  const callOf = ({ id, accountId }: Target) => ({ account_id: accountId, host: id });

  function giveBack(target: Target, count: number) {
    for (let given = 0; given < count; given += 1) budget.giveBack(callOf(target));
  }

  /** Claims and begins what this webhook may send now. Returns when its next batch is ready, if it waits for more events. */
  async function serve(target: Target, now: Date): Promise<Date | undefined> {
    const room = roomIn[breakers.find(target.id)?.state() ?? 'closed'] - (inFlight.get(target.id) ?? 0);
    let taken = 0;
    while (taken < room && budget.take(callOf(target))) taken += 1;
    if (taken === 0) return undefined;
    let begun = 0;
    try {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      const { id: webhookId, batch } = target;
      if (batch === null) {
        for (const held of await deliveries.claim(webhookId, taken, now, leaseUntil)) {
          begun += 1;
          begin(target, [held]);
        }
        return undefined;
      }
      while (begun < taken) {
        const { held, readyAt } = await deliveries.claimBatch({ webhookId, batch, now, leaseUntil });
        const [first, ...others] = held;
        if (!first) return readyAt;
        begun += 1;
        begin(target, [first, ...others]);
      }
      return undefined;
    } finally {
      giveBack(target, taken - begun);
    }
  }

  /** Serves every webhook with due deliveries once, beginning with another one each time. */
  async function look(): Promise<false | number> {
    if (budget.room() <= 0) return false;
    const now = clock();
    const due = await deliveries.dueWebhooks(now);
    if (due.length === 0) return (await deliveries.hasLater(now)) && lookEveryMs;
    const targets = await webhooks.targets(due, now);
    turn = (turn + 1) % due.length;
    const ended: WebhookId[] = [];
    let pauseMs = lookEveryMs;
    for (const id of [...due.slice(turn), ...due.slice(0, turn)]) {
      const target = targets.get(id);
      if (target instanceof Error) opening.failed(target, { webhook: id });
      else if (target?.status !== 'active') ended.push(id);
      else if (!suspended.has(target.accountId)) {
        const readyAt = await serve(target, now);
        if (readyAt) pauseMs = Math.min(pauseMs, readyAt.getTime() - now.getTime());
      }
    }
    if (ended.length > 0) await deliveries.giveUp(ended, now);
    return pauseMs;
  }

  const runner = createRunner({
    logger,
    warning: 'cannot look for due deliveries; retrying',
    backoffMs: { first: 200, max: 5_000 },
    work: look,
  });

  return {
    start: runner.start,

    /** Claims nothing new, and releases the deliveries in-flight. */
    async stop() {
      await runner.stop();
      stopping.abort();
      await Promise.allSettled(jobs);
    },

    /** Looks for due deliveries now. */
    wake: runner.wake,
  };
}
