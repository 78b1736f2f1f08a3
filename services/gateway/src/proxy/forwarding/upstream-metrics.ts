import type { Metrics } from '@mp/service-kit/metrics';
import { serviceNames } from '../routes/route.ts';
import { connectionsMax, type Upstream, type Upstreams } from './upstreams.ts';

/** What is known of each service when somebody asks; nothing is done for it while requests go through. */
export function tellUpstreams(metrics: Pick<Metrics, 'gauges'>, upstreams: Pick<Upstreams, 'find'>) {
  const tell = (name: string, help: string, read: (upstream: Upstream) => number) =>
    metrics.gauges(
      name,
      help,
      'upstream',
      new Map(
        serviceNames.map((service) => [
          service,
          async () => {
            const upstream = upstreams.find(service);
            if (!upstream) throw new Error('the gateway does not know where it is');
            return read(upstream);
          },
        ]),
      ),
    );
  tell('gateway_circuit_open', '1 while a service is spared because its last requests failed, by service.', ({ breaker }) =>
    breaker.isOpen() ? 1 : 0,
  );
  tell(
    'gateway_waiting_requests',
    'Requests that wait for a connection to a service; those that gave up are among them until it is their turn.',
    ({ running }) => Math.max(0, running - connectionsMax),
  );
}
