import type { Clock } from '@mp/service-kit/clock';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { TicksStore } from '../schedules/ticks-store.ts';
import type { Claims } from './claims.ts';

type Deps = { claims: Pick<Claims, 'overdue'>; ticks: Pick<TicksStore, 'earliestDue'>; suspended: Suspended; clock: Clock };

/** A run that is due for longer than this is late: usually it advances within a second. */
const lateMs = 30_000;

/** Runs and timers that should have advanced, without those of suspended accounts. */
export function exposeRunMetrics(metrics: Pick<Metrics, 'gauge' | 'gauges'>, { claims, ticks, suspended, clock }: Deps) {
  const secondsSince = (at: Date | undefined) => (at ? Math.max(0, clock().getTime() - at.getTime()) / 1_000 : 0);
  metrics.gauge('workflow_overdue_runs', 'Runs that have been due for more than 30 seconds. The gauge stops at 10,000.', async () => {
    const { count } = await claims.overdue(new Date(clock().getTime() - lateMs), suspended.all());
    return count;
  });
  metrics.gauges(
    'workflow_oldest_overdue_seconds',
    'How long the earliest run or schedule has been due.',
    'timer',
    new Map([
      ['run', async () => secondsSince((await claims.overdue(clock(), suspended.all())).since)],
      ['schedule', async () => secondsSince(await ticks.earliestDue(clock(), suspended.all()))],
    ]),
  );
}
