import type { ReportJob } from '@marketing-platform/sdk';
import { type Api, responseData } from '../api/api.ts';

export type { ReportJob };

const pollMs = 1_000;

/** The result of a report. A large one runs as a job; this waits until it is completed. */
export async function awaitReportJob<Result extends object>(
  api: Api,
  report: Result | ReportJob,
  isResult: (result: object) => result is Result,
  signal: AbortSignal,
): Promise<Result> {
  if (isResult(report)) return report;
  let job = report;
  while (job.status === 'queued' || job.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    job = await responseData(api.GET('/v2/leadpulse/reports/{id}', { params: { path: { id: job.id } }, signal }));
  }
  if (job.result && isResult(job.result)) return job.result;
  throw new Error(job.error ?? 'The report has no result.');
}
