import { isDeepStrictEqual } from 'node:util';
import { invalid } from '@mp/contracts/errors';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { FunnelBody } from '../reports/funnel-report.ts';
import { PathsBody } from '../reports/paths-report.ts';
import { QueryBody } from '../reports/query-report.ts';
import { reportFields } from '../reports/report-range.ts';
import { RetentionBody } from '../reports/retention-report.ts';
import { maxDays } from '../time/range.ts';

const requestOf = (path: string) => `The body of \`POST /v2/leadpulse/${path}\`.`;

/** A page of saved reports is read and sent at once. */
const maxReportBytes = 32_768;

/** What a saved report runs: a report with its request. */
const SavedRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('query'), request: QueryBody.describe(requestOf('query')) }).meta({ title: 'Query' }),
  z.strictObject({ kind: z.literal('funnel'), request: FunnelBody.describe(requestOf('funnels')) }).meta({ title: 'Funnel' }),
  z.strictObject({ kind: z.literal('retention'), request: RetentionBody.describe(requestOf('retention')) }).meta({ title: 'Retention' }),
  z.strictObject({ kind: z.literal('paths'), request: PathsBody.describe(requestOf('paths')) }).meta({ title: 'Paths' }),
]);

/** The saved reports of an account. */
export const maxSavedReports = 200;

const writable = {
  name: Name(200).describe('The name of the report.'),
  days: z
    .number()
    .int()
    .min(1)
    .max(maxDays)
    .nullable()
    .describe('The range: this many days up to now. Null: `from` and `to` of the request, or the last 30 days without them.'),
  report: SavedRequest.describe('What it reports.'),
};

const moment = z.iso.datetime();

/** A report with a name, to run again. */
export const SavedReport = z
  .object({
    id: z.string().describe('The ID of the saved report.'),
    ...writable,
    revision: z.number().int().describe('Increases with every change.'),
    created_at: moment.describe('When it was saved.'),
    updated_at: moment.describe('When it was last changed.'),
  })
  .meta({ id: 'SavedReport' });
export type SavedReport = z.output<typeof SavedReport>;

export const CreateSavedReportBody = z.strictObject({ ...writable, days: writable.days.default(null) });

/** A saved report from GET can be edited and sent back. */
export const UpdateSavedReportBody = z.strictObject({ ...SavedReport.shape, ...writable }).partial();

const { from, to, timezone, background } = reportFields;

/** What a single run changes in the request. */
export const RunSavedReportBody = z.strictObject({ from, to, timezone: timezone.unwrap().optional(), background });

export function newSavedReport(body: z.output<typeof CreateSavedReportBody>, now: Date): SavedReport {
  requireOneRange(body);
  requireSize(body.report);
  const at = now.toISOString();
  return { id: newId('savedReport'), ...body, revision: 1, created_at: at, updated_at: at };
}

const readOnlyFields = ['id', 'revision', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR if a read-only field was changed. Returns the same object if nothing changed. */
export function changeSavedReport(before: SavedReport, body: z.output<typeof UpdateSavedReportBody>, now: Date): SavedReport {
  rejectReadOnlyChanges(body, before, readOnlyFields);
  const { name = before.name, days = before.days, report = before.report } = body;
  const after = { ...before, name, days, report };
  requireOneRange(after);
  if (body.report) requireSize(body.report);
  return isDeepStrictEqual(after, before) ? before : { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}

function requireSize(report: SavedReport['report']) {
  if (Buffer.byteLength(JSON.stringify(report)) > maxReportBytes)
    throw invalid('/report', 'too_large', `A saved report can have at most ${maxReportBytes} bytes as JSON; use fewer or shorter values.`);
}

function requireOneRange({ days, report: { request } }: Pick<SavedReport, 'days' | 'report'>) {
  if (days !== null && (request.from !== undefined || request.to !== undefined))
    throw invalid('/days', 'unsupported_combination', 'Use days, or from and to of the request, not both.');
}

/** The request of one run: the saved one in the range of the run, or else in its own. */
export function requestFor({ days, report }: SavedReport, run: z.output<typeof RunSavedReportBody>, now = new Date()) {
  const zone = run.timezone ?? report.request.timezone;
  const first =
    days === null
      ? report.request.from
      : DateTime.fromJSDate(now, { zone })
          .minus({ days: days - 1 })
          .toISODate();
  const isOwnRange = run.from === undefined && run.to === undefined;
  const range = isOwnRange ? { from: first ?? undefined, to: report.request.to } : { from: run.from, to: run.to };
  return { ...report.request, ...range, timezone: zone, background: run.background || report.request.background };
}
