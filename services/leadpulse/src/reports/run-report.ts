import type { AccountId } from '@mp/ids';
import type { FastifyReply } from 'fastify';
import type { ReportJobsStore } from './report-jobs-store.ts';
import { prepareReport, type ReportKind, type ReportStores } from './report-kinds.ts';

/** The maximum number of events that a report reads immediately; beyond that, it runs as a job. */
export const maxEventsNow = 100_000;

export type RunReport = ReturnType<typeof createRunReport>;

type Deps = { stores: ReportStores; jobs: ReportJobsStore; onQueued: () => void; maxEvents?: number };

/** Runs a report and sends its result with 200; or queues it, and sends the job with 202. */
export const createRunReport =
  ({ stores, jobs, onQueued, maxEvents = maxEventsNow }: Deps) =>
  async (reply: FastifyReply, accountId: AccountId, kind: ReportKind, body: object) => {
    const report = prepareReport(kind, body);
    if (!report.background && (await report.size(stores, accountId, maxEvents + 1)) <= maxEvents) {
      return reply.code(200).send({ success: true, data: await report.run(stores, accountId) });
    }
    const job = await jobs.queue(accountId, kind, report.request);
    onQueued();
    return reply.code(202).header('location', `/v2/leadpulse/reports/${job.id}`).send({ success: true, data: job });
  };
