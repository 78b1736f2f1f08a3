import { z } from 'zod';
import { type AnalyticsRange, Interval, rangeOf, rangeQuery } from '../time/range.ts';
import { ReportWarning } from './report-warning.ts';

const { from, to, timezone } = rangeQuery;

/** The fields of every report: its range, and whether bots count. */
export const reportFields = {
  from,
  to,
  timezone,
  include_bots: z.boolean().default(false).describe('Whether events from bots count.'),
  background: z.boolean().default(false).describe('Whether to run the report as a job, however few events it reads.'),
};

export type ReportFields = {
  from?: string | undefined;
  to?: string | undefined;
  timezone: string;
  include_bots: boolean;
  background: boolean;
};

const moment = z.iso.datetime();

/** The fields of every result. */
export const resultFields = {
  from: moment.describe('The start of the range, inclusive.'),
  to: moment.describe('The end of the range, exclusive.'),
  timezone: z.string().describe('The time zone of the report.'),
  include_bots: z.boolean().describe('Whether events from bots count.'),
  events_read: z.number().int().describe('The number of events that the report read.'),
  as_of: moment.describe('Every event received before this time is counted.'),
  warnings: z.array(ReportWarning).describe('Why the result is not complete; empty if it is.'),
};

export const ReportInterval = Interval.exclude(['hour']);

/** The description of a result's `query`. */
export const asRun = 'The request as it was run, with its range and all defaults but without `background`. It can be sent again.';

/** The range with its intervals. Throws VALIDATION_ERROR. */
export const reportRange = ({ from, to, timezone }: ReportFields, interval: Interval = 'month', now?: Date): AnalyticsRange =>
  rangeOf({ from, to, timezone, interval }, now, '');

/** A share with its parts; `value` is null if there is nothing to divide by. */
export const Share = z.object({
  value: z.number().nullable().describe('The quotient; null if the denominator is zero.'),
  numerator: z.number().int().describe('The dividend.'),
  denominator: z.number().int().describe('The divisor.'),
});

export const shareOf = (numerator: number, denominator: number): z.output<typeof Share> => ({
  value: denominator === 0 ? null : Math.round((numerator / denominator) * 1e6) / 1e6,
  numerator,
  denominator,
});
