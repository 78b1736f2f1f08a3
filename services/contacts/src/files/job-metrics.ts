import { claimable, type Leased, oldestFirst } from '@mp/service-kit/job-lease';
import type { Metrics } from '@mp/service-kit/metrics';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';

const collections = new Map([
  ['import', 'imports'],
  ['export', 'exports'],
  ['bulk', 'bulk_jobs'],
]);

const maxCounted = 10_000;

/** The queues of jobs over all accounts, by kind. Reads only the index of each queue. */
export function exposeJobMetrics(metrics: Pick<Metrics, 'gauges'>, db: Db, suspended: Suspended) {
  const read = (value: (jobs: ReturnType<typeof db.collection<Leased>>) => Promise<number>) =>
    new Map([...collections].map(([kind, name]) => [kind, () => value(db.collection<Leased>(name))] as const));
  metrics.gauges(
    'contacts_unfinished_jobs',
    'Imports, exports and bulk jobs that are queued or running.',
    'kind',
    read((jobs) => jobs.countDocuments({ status: { $in: ['queued', 'running'] } }, { limit: maxCounted })),
  );
  metrics.gauges(
    'contacts_oldest_waiting_job_seconds',
    'How long the oldest waiting import, export or bulk job has waited for a worker.',
    'kind',
    read(async (jobs) => {
      const now = new Date();
      const oldest = await jobs.findOne(claimable(now, suspended), { sort: oldestFirst, projection: { touched_at: 1 } });
      return oldest ? Math.max(0, now.getTime() - oldest.touched_at.getTime()) / 1_000 : 0;
    }),
  );
}
