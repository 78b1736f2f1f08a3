import { ApiError } from '@mp/contracts/errors';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Ended } from '../forwarding/forward.ts';
import type { Exchange } from './exchange.ts';

export type DoorMetrics = ReturnType<typeof createDoorMetrics>;

/** What the public door counts. Labels have few values: never a path, an id or an address. */
export function createDoorMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const requests = metrics.counter(
    'gateway_requests_total',
    'Requests by what they were for and the status they were answered with; none: the client left before, broken: the service broke its answer off.',
    ['route_class', 'status'],
  );
  const refusals = metrics.counter(
    'gateway_refusals_total',
    'Requests that the gateway refused itself: RATE_LIMITED and QUOTA_EXCEEDED for limits, UNAUTHORIZED for credentials, and the rest.',
    ['code'],
  );

  const duration = metrics.histogram(
    'gateway_request_duration_seconds',
    'Time from the headers of a request to the last of its answer, at the public door, by what it was for.',
    ['route_class'],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );

  return {
    answered({ res, routeClass }: Exchange, ms: number, ended: Ended | undefined) {
      // Broken off before it began: nobody was told any status. Afterwards by the service: what was told was not so.
      const status = !res.headersSent ? 'none' : ended === 'broken' ? 'broken' : String(res.statusCode);
      requests.inc({ route_class: routeClass, status });
      duration.observe({ route_class: routeClass }, ms / 1_000);
    },
    refused(error: unknown) {
      refusals.inc({ code: error instanceof ApiError ? error.code : 'INTERNAL_ERROR' });
    },
  };
}
