import type { FastifyReply } from 'fastify';
import type { EventsStore } from '../events/events-store.ts';
import type { ReportJobsStore } from './report-jobs-store.ts';
import { prepareReport, type ReportKind } from './report-kinds.ts';

/** The maximum number of events that a report reads immediately; beyond that, it runs as a job. */
export const maxEventsNow = 200_000;

export type RunReport = ReturnType<typeof createRunReport>;

type Deps = { events: EventsStore; jobs: ReportJobsStore; onQueued: () => void; maxEvents?: number };

/** Runs a report and sends its result with 200; or queues it, and sends the job with 202. */
export const createRunReport =
  ({ events, jobs, onQueued, maxEvents = maxEventsNow }: Deps) =>
  async (reply: FastifyReply, accountId: string, kind: ReportKind, body: object) => {
    const report = prepareReport(kind, body);
    if (!report.background && (await events.matching(accountId, report.query, maxEvents + 1)) <= maxEvents) {
      return reply.code(200).send({ success: true, data: await report.run(events, accountId) });
    }
    const job = await jobs.queue(accountId, kind, report.request);
    onQueued();
    return reply.code(202).header('location', `/v2/leadpulse/reports/${job.id}`).send({ success: true, data: job });
  };
