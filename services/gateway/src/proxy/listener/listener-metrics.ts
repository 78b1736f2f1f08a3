import { ApiError } from '@mp/contracts/errors';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Exchange } from '../exchange.ts';

export type ListenerMetrics = ReturnType<typeof createListenerMetrics>;

/** The metrics of the public listener. Labels have few values, never paths, ids or addresses. */
export function createListenerMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const requests = metrics.counter(
    'gateway_requests_total',
    'Requests by route class and response status. none: the client disconnected before a response; broken: the service aborted its response.',
    ['route_class', 'status'],
  );
  const refusals = metrics.counter(
    'gateway_refusals_total',
    'Requests that the gateway itself rejected, by error code, such as RATE_LIMITED, QUOTA_EXCEEDED and UNAUTHORIZED.',
    ['code'],
  );

  const duration = metrics.histogram(
    'gateway_request_duration_seconds',
    'Time from receiving the request headers to the end of the response, at the public listener, by route class.',
    ['route_class'],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );

  return {
    responded({ res, routeClass, path, ended }: Exchange, ms: number) {
      // Probes are many, fast and successful, and would hide slow and failed requests.
      if (path.startsWith('/health/')) return;
      // Without sent headers there is no status. If the service aborted its response, the sent status is misleading.
      const status = !res.headersSent ? 'none' : ended === 'broken' ? 'broken' : String(res.statusCode);
      requests.inc({ route_class: routeClass, status });
      duration.observe({ route_class: routeClass }, ms / 1_000);
    },
    refused(error: unknown) {
      refusals.inc({ code: error instanceof ApiError ? error.code : 'INTERNAL_ERROR' });
    },
  };
}
