import { invalid } from '@mp/contracts/errors';
import type { AnalyticsRange } from '../analytics/range.ts';
import type { EventsStore, ReportEvent, ReportQuery } from '../events/events-store.ts';
import { FunnelBody, FunnelResult, funnelQuery, startFunnel } from './funnel-report.ts';
import { PathsBody, PathsResult, pathsQuery, startPaths } from './paths-report.ts';
import type { ReportFields } from './report-range.ts';
import { RetentionBody, RetentionResult, retentionQuery, startRetention } from './retention-report.ts';

/** A report that reads all events of a query, sorted by person, time and message ID. */
type Run = { add: (event: ReportEvent) => void; result: () => object };
type Prepared = { body: ReportFields; range: AnalyticsRange; names: string[] | undefined; start: () => Run };

/** The reports by kind, from their validated body. Throws VALIDATION_ERROR. */
const kinds = {
  funnel: (given: unknown, now?: Date): Prepared => {
    const body = FunnelBody.parse(given);
    return { body, ...funnelQuery(body, now), start: () => startFunnel(body) };
  },
  retention: (given: unknown, now?: Date): Prepared => {
    const body = RetentionBody.parse(given);
    const { tooMany, ...query } = retentionQuery(body, now);
    if (tooMany !== undefined)
      throw invalid('/interval', 'too_many_intervals', `The range has more than ${tooMany} ${body.interval}s; use a longer interval.`);
    return { body, ...query, start: () => startRetention(body, query.range, now) };
  },
  paths: (given: unknown, now?: Date): Prepared => {
    const body = PathsBody.parse(given);
    return { body, ...pathsQuery(body, now), start: () => startPaths(body) };
  },
} as const;

export type ReportKind = keyof typeof kinds;
export const reportKinds = ['funnel', 'retention', 'paths'] as const satisfies ReportKind[];
export const resultsOf = { funnel: FunnelResult, retention: RetentionResult, paths: PathsResult } as const;

/** A report that is ready to run. `request` is its body with a fixed range, so that a job later reads the same events. */
export function prepareReport(kind: ReportKind, given: object, now?: Date) {
  const { body, range, names, start } = kinds[kind](given, now);
  const { from, to } = { from: range.from.toISOString(), to: range.to.toISOString() };
  const query: ReportQuery = { from: range.from, to: range.to, names, bots: body.include_bots };

  return {
    background: body.background,
    query,
    request: { ...body, from, to, background: true },

    async run(events: EventsStore, accountId: string, onProgress: () => void = () => undefined) {
      const oldest = await events.oldestPending(accountId);
      const report = start();
      let read = 0;
      for await (const event of events.byPerson(accountId, query)) {
        report.add(event);
        read += 1;
        if (read % progressEvery === 0) onProgress();
      }
      const { timezone, include_bots } = body;
      return { from, to, timezone, include_bots, events_read: read, as_of: (oldest ?? new Date()).toISOString(), ...report.result() };
    },
  };
}

const progressEvery = 50_000;
