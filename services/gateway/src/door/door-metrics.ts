import { ApiError } from '@mp/contracts/errors';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Exchange } from './exchange.ts';

export type DoorMetrics = ReturnType<typeof createDoorMetrics>;

/** What the public door counts. Labels have few values: never a path, an id or an address. */
export function createDoorMetrics(metrics: Pick<Metrics, 'counter'>) {
  const requests = metrics.counter('gateway_requests_total', 'Requests that were answered or broken off, by what they were for.', [
    'route_class',
    'status',
  ]);
  const refusals = metrics.counter(
    'gateway_refusals_total',
    'Requests that the gateway refused itself: RATE_LIMITED and QUOTA_EXCEEDED for limits, UNAUTHORIZED for credentials, and the rest.',
    ['code'],
  );

  return {
    answered({ res, routeClass }: Exchange) {
      // Broken off before it began: nobody was told any status.
      requests.inc({ route_class: routeClass, status: res.headersSent ? String(res.statusCode) : 'none' });
    },
    refused(error: unknown) {
      refusals.inc({ code: error instanceof ApiError ? error.code : 'INTERNAL_ERROR' });
    },
  };
}
