import { z } from 'zod';
import { reportKinds } from './report-kinds.ts';

const moment = z.iso.datetime();

export const reportStates = ['queued', 'running', 'completed', 'failed'] as const;

export const ReportJob = z
  .object({
    id: z.string().describe('The ID of the report.'),
    kind: z.enum(reportKinds).describe('What it reports.'),
    status: z.enum(reportStates).describe('Whether it is finished.'),
    request: z.record(z.string(), z.unknown()).describe('The request, with a fixed range.'),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The result, in the form of an immediate response; null until it is completed.'),
    error: z.string().nullable().describe('Why it failed; null otherwise.'),
    created_at: moment.describe('When it was requested.'),
    completed_at: moment.nullable().describe('When it was completed or failed.'),
    expires_at: moment.describe('When it is deleted.'),
  })
  .meta({ id: 'ReportJob' });
export type ReportJob = z.output<typeof ReportJob>;
