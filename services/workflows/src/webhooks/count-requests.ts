import type { Metrics } from '@mp/service-kit/metrics';
import type { Exchange, GuardedRequest } from './guarded-request.ts';

const webhookOutcomes = ['delivered', 'rejected', 'failed', 'unanswered', 'refused'] as const;

/** `step`: a step of a workflow; `delivery`: a webhook of the account. */
type Kind = 'step' | 'delivery';

/** Counts the requests to webhooks by outcome. The receivers belong to the accounts; if all fail, the cause is usually here. */
export function countRequests(metrics: Pick<Metrics, 'counter'>, kind: Kind, send: GuardedRequest): GuardedRequest {
  const requests = metrics.counter(
    'webhook_requests_total',
    'Requests to webhooks. delivered: 2xx; rejected: 3xx or 4xx; failed: 5xx; unanswered: no response; refused: not sent, the URL is not allowed.',
    ['kind', 'outcome'],
    webhookOutcomes.map((outcome) => ({ kind, outcome })),
  );
  return async (...request) => {
    const exchange = await send(...request);
    requests.inc({ kind, outcome: outcomeOf(exchange) });
    return exchange;
  };
}

function outcomeOf(exchange: Exchange): (typeof webhookOutcomes)[number] {
  if (exchange.type !== 'response') return exchange.type === 'silent' ? 'unanswered' : 'refused';
  if (exchange.status >= 500) return 'failed';
  return exchange.status >= 200 && exchange.status < 300 ? 'delivered' : 'rejected';
}
