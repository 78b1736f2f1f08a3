import { serviceNames } from '@mp/contracts/services';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Upstream, Upstreams } from './upstreams.ts';

/** Gauges per service, computed only when metrics are collected, at no cost to requests. */
export function exposeUpstreamMetrics(metrics: Pick<Metrics, 'gauges'>, upstreams: Pick<Upstreams, 'find'>) {
  const addGauge = (name: string, help: string, read: (upstream: Upstream) => number) =>
    metrics.gauges(
      name,
      help,
      'upstream',
      new Map(
        serviceNames.map((service) => [
          service,
          async () => {
            const upstream = upstreams.find(service);
            if (!upstream) throw new Error(`no address is configured for ${service}`);
            return read(upstream);
          },
        ]),
      ),
    );
  addGauge(
    'gateway_circuit_open',
    '1 while the circuit breaker of a service is open because its last requests failed, by service.',
    ({ breaker }) => (breaker.isOpen() ? 1 : 0),
  );
  addGauge('gateway_waiting_requests', 'Requests waiting for a connection to a service.', ({ connections }) => connections.waiting());
}
