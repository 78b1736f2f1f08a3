import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { FunnelBody, FunnelResult } from './funnel-report.ts';
import { PathsBody, PathsResult } from './paths-report.ts';
import { QueryBody, QueryResult } from './query-report.ts';
import { ReportJob } from './report-job.ts';
import type { ReportJobsStore } from './report-jobs-store.ts';
import { RetentionBody, RetentionResult } from './retention-report.ts';
import { maxEventsNow, type RunReport } from './run-report.ts';

const jobs202 = `If the report reads more than ${maxEventsNow.toLocaleString('en')} events, or with \`background\`, it returns 202 and runs as a job; get it at the URL in \`Location\`.`;

const people = `A person is a contact with all its visitors, or a visitor without a contact. Only events in the range count. ${jobs202}`;

const dimensionsText =
  '`channel`, `source`, `referrer`, `entry_page` and `exit_page` of the session; `event`, `page`, `title`, `host`, `utm_source`, `utm_medium`, `utm_campaign`, `utm_term`, `utm_content`, `country`, `device`, `browser`, `os` and `properties.<name>` of the event';

type Report<Body extends z.ZodType, Result extends z.ZodType> = {
  operationId: string;
  summary: string;
  description: string;
  body: Body;
  result: Result;
};

/** The options of a route that returns a report, or the job that computes it. */
const report = <Body extends z.ZodType, Result extends z.ZodType>({ result, ...schema }: Report<Body, Result>) => ({
  config: { scope: 'leadpulse:read', reads: true } as const,
  schema: { ...schema, response: { 200: success(result), 202: success(ReportJob) } },
});

/** The reports, each a POST that reads, and the jobs of large ones. */
export function reportRoutes(app: Server, { runReport, jobs }: { runReport: RunReport; jobs: ReportJobsStore }) {
  app.post(
    '/v2/leadpulse/funnels',
    report({
      operationId: 'runFunnel',
      summary: 'Report a funnel',
      description:
        'Counts how far people get through 2 to 10 steps. Each event that matches the first step is an entry; the other steps must follow in order, each with its own event, within the window; ' +
        `other events in between do not matter, unless the order is strict. Of a person's entries, only the one that gets furthest counts; of several, the first to get there. ${people}`,
      body: FunnelBody,
      result: FunnelResult,
    }),
    (request, reply) => runReport(reply, request.principal.accountId, 'funnel', request.body),
  );

  app.post(
    '/v2/leadpulse/retention',
    report({
      operationId: 'runRetention',
      summary: 'Report retention',
      description: `Groups people by the day, week or month of their first event in the range, and counts how many return in each later period. ${people}`,
      body: RetentionBody,
      result: RetentionResult,
    }),
    (request, reply) => runReport(reply, request.principal.accountId, 'retention', request.body),
  );

  app.post(
    '/v2/leadpulse/paths',
    report({
      operationId: 'runPaths',
      summary: 'Report paths',
      description:
        "Counts the pages or events that follow one another in sessions, from or to a page or event. A session is a person's events without a gap of the session time-out in the settings; " +
        `a page that is viewed several times in a row counts once. ${people}`,
      body: PathsBody,
      result: PathsResult,
    }),
    (request, reply) => runReport(reply, request.principal.accountId, 'paths', request.body),
  );

  app.post(
    '/v2/leadpulse/query',
    report({
      operationId: 'runQuery',
      summary: 'Query events',
      description:
        'Counts the events in the range that a filter selects: in total, by interval, by up to two dimensions, and compared with an earlier range. All counts are exact. ' +
        'Everything counts at the time of the event: a session counts once wherever it has a matching event, and so does a visitor. ' +
        `Dimensions: ${dimensionsText}. ${jobs202}`,
      body: QueryBody,
      result: QueryResult,
    }),
    (request, reply) => runReport(reply, request.principal.accountId, 'query', request.body),
  );

  app.get(
    '/v2/leadpulse/reports/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getReport',
        summary: 'Get a report that runs as a job',
        description: 'Kept for 24 hours. The same request within this time returns the same job.',
        params: z.object({ id: z.string().describe('The ID of the report.') }),
        response: { 200: success(ReportJob) },
      },
    },
    async (request) => ({ success: true as const, data: await jobs.get(request.principal.accountId, request.params.id) }),
  );
}
