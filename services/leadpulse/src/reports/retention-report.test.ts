import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { reportEvents, reportStart } from '../../test/report-event.ts';
import type { ReportEvent } from '../events/report-events.ts';
import { RetentionBody, retentionQuery, startRetention } from './retention-report.ts';

test('retention equals a recount by the calendar of the time zone, over a change to daylight saving time', () => {
  fc.assert(
    fc.property(
      reportEvents,
      fc.constantFrom('day', 'week', 'month'),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'),
      fc.constantFrom('signup', '$pageview'),
      fc.constantFrom('purchase', '$pageview'),
      (events, interval, timezone, first, returning) => {
        const day = (ms: number) => DateTime.fromMillis(ms, { zone: timezone }).toISODate() ?? '';
        const body = RetentionBody.parse({
          from: day(reportStart),
          to: day(reportStart + 5 * 86_400_000),
          timezone,
          interval,
          first: { event: first },
          returning: { event: returning },
        });
        const { range } = retentionQuery(body);
        const report = startRetention(body, range, new Date(reportStart + 3 * 86_400_000));
        for (const event of events) report.add(event);
        const { cohorts } = report.result();

        const periodOf = ({ time }: ReportEvent) => DateTime.fromJSDate(time, { zone: timezone }).startOf(interval).toISODate() ?? '';
        const names = cohorts.map(({ from }) => DateTime.fromISO(from, { zone: timezone }).startOf(interval).toISODate() ?? '');
        const people = new Map<string, number>();
        const returned = new Map<string, number>();
        for (const own of Map.groupBy(events, ({ person }) => person).values()) {
          const index = own.findIndex(({ name }) => name === first);
          const entry = own[index];
          if (!entry) continue;
          const cohort = periodOf(entry);
          people.set(cohort, (people.get(cohort) ?? 0) + 1);
          for (const period of new Set(
            own
              .slice(index + 1)
              .filter(({ name }) => name === returning)
              .map(periodOf),
          ))
            returned.set(`${cohort} ${period}`, (returned.get(`${cohort} ${period}`) ?? 0) + 1);
        }
        assert.deepEqual(
          cohorts.map((cohort) => cohort.people),
          names.map((name) => people.get(name) ?? 0),
        );
        for (const [index, { periods }] of cohorts.entries()) {
          assert.equal(periods.length, cohorts.length - index);
          for (const { period, returned: found } of periods)
            assert.equal(found.numerator, returned.get(`${names[index]} ${names[index + period]}`) ?? 0);
        }
        const complete = cohorts.map(({ periods }) => periods[0]?.complete);
        assert.deepEqual(
          complete,
          cohorts.map(({ to }) => Date.parse(to) <= reportStart + 3 * 86_400_000),
        );
      },
    ),
    { numRuns: 300 },
  );
});
