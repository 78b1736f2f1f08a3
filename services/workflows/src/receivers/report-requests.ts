import type { Exchange, GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { Clock } from '@mp/service-kit/clock';
import { logFields } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Metrics } from '@mp/service-kit/metrics';

const webhookOutcomes = ['delivered', 'rejected', 'failed', 'unanswered', 'refused'] as const;
type Outcome = (typeof webhookOutcomes)[number];

/** `step`: a step of a workflow; `delivery`: a webhook of the account. */
type Kind = 'step' | 'delivery';

type Deps = { metrics: Pick<Metrics, 'counter'>; logger: Pick<Logger, 'warn'>; clock: Clock };

/** Outcomes in which the receiver, or the connection to it, does not work. */
const failures: ReadonlySet<Outcome> = new Set(['failed', 'unanswered']);

/** A receiver that fails is logged at once, and again after this long. */
const loggedEveryMs = 10 * 60_000;

/** Bounds memory; beyond it the receiver that was logged longest ago is dropped. */
const maxReceivers = 10_000;

/**
 * Counts the requests to webhooks by outcome, and logs which receivers fail. They belong to the accounts; if all fail, the cause is
 * usually here.
 */
export function reportRequests({ metrics, logger, clock }: Deps, kind: Kind, send: GuardedRequest): GuardedRequest {
  const requests = metrics.counter(
    'webhook_requests_total',
    'Requests to webhooks. delivered: 2xx; rejected: 3xx or 4xx; failed: 5xx; unanswered: no response; refused: not sent, the URL is not allowed.',
    ['kind', 'outcome'],
    webhookOutcomes.map((outcome) => ({ kind, outcome })),
  );
  const loggedAt = new Map<string, number>();

  /** The host only: path and query may hold the receiver's own secret. */
  function log(url: string, outcome: Outcome, reason: string) {
    const { host } = new URL(url);
    const receiver = `${logFields().account_id} ${host}`;
    const now = clock().getTime();
    const last = loggedAt.get(receiver);
    if (last !== undefined && now - last < loggedEveryMs) return;
    loggedAt.delete(receiver);
    loggedAt.set(receiver, now);
    const [oldest] = loggedAt.keys();
    if (loggedAt.size > maxReceivers && oldest !== undefined) loggedAt.delete(oldest);
    logger.warn({ kind, host, outcome, reason }, 'a request to a webhook failed; retrying');
  }

  return async (request, stopping) => {
    const exchange = await send(request, stopping);
    const outcome = outcomeOf(exchange);
    requests.inc({ kind, outcome });
    if (failures.has(outcome) && !stopping.aborted) log(request.url, outcome, reasonOf(exchange));
    return exchange;
  };
}

function outcomeOf(exchange: Exchange): Outcome {
  if (exchange.type !== 'response') return exchange.type === 'silent' ? 'unanswered' : 'refused';
  if (exchange.status >= 500) return 'failed';
  return exchange.status >= 200 && exchange.status < 300 ? 'delivered' : 'rejected';
}

function reasonOf(exchange: Exchange): string {
  if (exchange.type === 'response') return `status ${exchange.status}`;
  return exchange.type === 'silent' ? exchange.reason : exchange.problem;
}
