import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import { PlannedDay, Timezone } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { dayIn, firstInstantOf } from '@mp/rules/calendar';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { type GrowthStore, quarterOf } from './growth-store.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = { segments: SegmentsStore; counts: SegmentCounts; growth: GrowthStore; clock: Clock };

const dayMs = 24 * 60 * 60 * 1_000;
const maxDays = 400;

const Interval = z.enum(['day', 'week', 'month']);
type Interval = z.infer<typeof Interval>;

const SeriesQuery = z.strictObject({
  interval: Interval.default('day').describe('The length of the intervals. Weeks start on Monday.'),
  timezone: Timezone.default('UTC').describe('The IANA time zone in which days, weeks and months start.'),
  from: PlannedDay.optional().describe('The first day; 29 days before `to` by default.'),
  to: PlannedDay.optional().describe('The last day (inclusive); today by default.'),
});

const Series = z
  .object({
    segment_id: segmentId,
    interval: Interval,
    timezone: z.string(),
    series: renamedFrom(
      'items',
      z
        .array(
          z.object({
            from: z.iso.datetime().describe('When the interval starts.'),
            to: z.iso.datetime().describe('When it ends.'),
            entered: z.number().int().describe('How many times a contact entered in the interval.'),
            left: z.number().int().describe('How many times a contact left in the interval.'),
            count: z.number().int().describe('The number of members at the end of the interval, or now.'),
          }),
        )
        .describe('Every interval that begins in the range, in order. The first and the last one can be shorter.'),
    ),
  })
  .meta({ id: 'SegmentSeries' });

export function getSegmentSeries(app: Server, { segments, counts, growth, clock }: Deps) {
  app.get(
    '/v2/segments/:id/series',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'getSegmentSeries',
        summary: 'Get the size of a segment over time',
        description:
          'Returns for each interval how many contacts entered and left, and the number of members at its end. The numbers are exact, ' +
          'and up to date within a second. Contacts that are deleted later still count in past intervals.',
        params: z.object({ id: segmentId }),
        querystring: SeriesQuery,
        response: { 200: success(Series) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { interval, timezone, from, to } = request.query;
      const segment = await segments.get(accountId, request.params.id);
      const lastDay = to === undefined ? dayIn(timezone, clock().getTime()) : Date.parse(to);
      const firstDay = from === undefined ? lastDay - 29 * dayMs : Date.parse(from);
      if (firstDay > lastDay) throw invalid('/query/to', 'empty_range', 'to must not be before from.');
      if (lastDay - firstDay >= maxDays * dayMs)
        throw invalid('/query/from', 'range_too_long', `The range must be at most ${maxDays} days.`);

      const bounds = boundsOf(firstDay, lastDay, interval).map((day) => quarterOf(new Date(firstInstantOf(day, timezone))));
      const [start = new Date(0), end = start] = [bounds.at(0), bounds.at(-1)];
      await counts.tally(accountId, segment.id);
      const [size, quarters] = await Promise.all([
        growth.sizeAt(accountId, segment.id, start),
        growth.between(accountId, segment.id, start, end),
      ]);
      let count = size;
      const series = bounds.slice(0, -1).map((begin, index) => {
        const finish = bounds[index + 1] ?? end;
        const within = quarters.filter(({ quarter }) => quarter >= begin && quarter < finish);
        const entered = within.reduce((total, one) => total + one.entered, 0);
        const left = within.reduce((total, one) => total + one.left, 0);
        count += entered - left;
        return { from: begin.toISOString(), to: finish.toISOString(), entered, left, count };
      });
      return { success: true as const, data: { segment_id: segment.id, interval, timezone, series } };
    },
  );
}

/** The days on which intervals begin, and the day after the last, as midnights in UTC. */
function boundsOf(firstDay: number, lastDay: number, interval: Interval): number[] {
  const days = Array.from({ length: Math.round((lastDay - firstDay) / dayMs) + 1 }, (_, index) => firstDay + index * dayMs);
  const begins = (day: number) => {
    if (interval === 'week') return new Date(day).getUTCDay() === 1;
    return interval === 'day' || new Date(day).getUTCDate() === 1;
  };
  return [...days.filter((day) => day === firstDay || begins(day)), lastDay + dayMs];
}
