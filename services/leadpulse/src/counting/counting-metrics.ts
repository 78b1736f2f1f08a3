import type { Metrics } from '@mp/service-kit/metrics';
import type { EventsStore } from '../events/events-store.ts';

type Counted = Pick<EventsStore, 'pendingCount' | 'setAsideCount' | 'oldestPendingSeconds'>;

/** Exposes how many events wait to be counted, how many cannot be counted, and the age of the oldest that waits. */
export function exposeCountingMetrics(metrics: Pick<Metrics, 'gauge'>, events: Counted) {
  metrics.gauge('leadpulse_pending_events', 'Events accepted but not yet counted.', events.pendingCount);
  metrics.gauge(
    'leadpulse_set_aside_events',
    'Events that are not counted because counting them failed repeatedly. The gauge stops at 10,000.',
    events.setAsideCount,
  );
  metrics.gauge('leadpulse_oldest_pending_event_seconds', 'Age of the oldest event that is not yet counted.', () =>
    events.oldestPendingSeconds(),
  );
}
