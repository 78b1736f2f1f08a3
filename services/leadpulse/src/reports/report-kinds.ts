import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { ReportEvent, ReportQuery } from '../events/report-events.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import type { StoredSession } from '../sessions/session.ts';
import { idleMsOf } from '../settings/settings.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { AnalyticsRange } from '../time/range.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { type SessionEventStores, withSessions } from './events-with-sessions.ts';
import { FunnelBody, funnelQuery, startFunnel } from './funnel-report.ts';
import { GoalReportBody, requireAttributable, runGoalReport } from './goal-report.ts';
import { PathsBody, pathsQuery, startPaths } from './paths-report.ts';
import { isOfSession } from './query-dimension.ts';
import { QueryBody, queryRanges, runQuery } from './query-report.ts';
import { type ReportFields, reportRange } from './report-range.ts';
import { type ReportWarning, retentionWarnings } from './report-warning.ts';
import { RetentionBody, retentionQuery, startRetention } from './retention-report.ts';

export type ReportStores = SessionEventStores & {
  visitors: VisitorsStore;
  settings: Pick<SettingsStore, 'cached'>;
  identities: Pick<IdentitiesStore, 'merges'>;
};

/** The maximum number of merges that reports follow, which is what fits into a request to MongoDB. */
const maxMerges = 100_000;

/** The merges that a report follows, and one more if there are too many. */
export const readMerges = ({ identities }: Pick<ReportStores, 'identities'>, accountId: AccountId) =>
  identities.merges(accountId, maxMerges + 1);

/** Reads the events of its queries, and calls `onEvent` for each. */
type Run = (stores: ReportStores, accountId: AccountId, onEvent: () => void) => Promise<{ result: object; warnings?: ReportWarning[] }>;

/** `requested` is what the client sent, if the body has more than that. */
type Prepared = { body: ReportFields; requested?: ReportFields; range: AnalyticsRange; queries: ReportQuery[]; run: Run };

/** A report over events that are sorted by person, time and message ID. */
type Fold = { add: (event: ReportEvent, session?: StoredSession) => void; result: () => object };

const tooManyMerges: ReportWarning = {
  code: 'too_many_merges',
  message: `More than ${maxMerges} contacts have been merged; some merged contacts are counted separately from their survivors.`,
};

async function* alone(events: AsyncIterable<ReportEvent>) {
  for await (const event of events) yield { event, session: undefined };
}

function folded(
  body: ReportFields,
  range: AnalyticsRange,
  names: string[] | undefined,
  start: (idleMs: number) => Fold,
  by = '',
): Prepared {
  const query = { from: range.from, to: range.to, names, bots: body.include_bots, dimensions: [by] };
  const run: Run = async (stores, accountId, onEvent) => {
    const merges = await readMerges(stores, accountId);
    const report = start(idleMsOf(await stores.settings.cached(accountId)));
    const events = stores.events.byPerson(accountId, query, merges);
    for await (const { event, session } of isOfSession(by) ? withSessions(stores, accountId, query, events) : alone(events)) {
      report.add(event, session);
      onEvent();
    }
    return { result: report.result(), warnings: merges.size > maxMerges ? [tooManyMerges] : [] };
  };
  return { body, range, queries: [query], run };
}

/** The reports by kind, from their body. Throws VALIDATION_ERROR. */
const kinds = {
  funnel: (given: unknown, now?: Date): Prepared => {
    const body = FunnelBody.parse(given);
    const { range, names } = funnelQuery(body, now);
    return folded(body, range, names, () => startFunnel(body), body.by);
  },
  retention: (given: unknown, now?: Date): Prepared => {
    const body = RetentionBody.parse(given);
    const { range, names, tooMany } = retentionQuery(body, now);
    if (tooMany !== undefined)
      throw invalid('/interval', 'too_many_intervals', `The range has more than ${tooMany} ${body.interval}s; use a longer interval.`);
    return folded(body, range, names, () => startRetention(body, range, now));
  },
  paths: (given: unknown, now?: Date): Prepared => {
    const body = PathsBody.parse(given);
    const { range, names } = pathsQuery(body, now);
    return folded(body, range, names, (idleMs) => startPaths(body, idleMs));
  },
  query: (given: unknown, now?: Date): Prepared => {
    const body = QueryBody.parse(given);
    const ranges = queryRanges(body, now);
    const [range] = ranges;
    if (!range) throw new Error('A query needs a range.');
    const queries = ranges.map(({ from, to }) => ({ from, to, bots: body.include_bots }));
    return {
      body,
      range,
      queries,
      run: async (stores, accountId, onEvent) => ({ result: await runQuery(stores, accountId, { body, ranges, onEvent }) }),
    };
  },
  goal: (given: unknown, now?: Date): Prepared => {
    const body = GoalReportBody.parse(given);
    requireAttributable(body);
    const range = reportRange(body, 'month', now);
    const query = { from: range.from, to: range.to, bots: body.include_bots };
    const { goal_id, match, value, ...requested } = body;
    return {
      body,
      requested,
      range,
      queries: [query],
      run: async (stores, accountId, onEvent) => ({ result: await runGoalReport({ stores, accountId, body, query, onEvent }) }),
    };
  },
} as const;

export type ReportKind = keyof typeof kinds;
export const reportKinds = ['funnel', 'retention', 'paths', 'query', 'goal'] as const satisfies ReportKind[];

/** How many events some queries read, each up to `limit`. */
export async function reportSize(
  { events }: Pick<ReportStores, 'events'>,
  accountId: AccountId,
  queries: readonly ReportQuery[],
  limit: number,
) {
  const sizes = await Promise.all(queries.map((query) => events.matching(accountId, query, limit)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A report that is ready to run. `request` is its body with a fixed range, so that a job later reads the same events. */
export function prepareReport(kind: ReportKind, given: object, now?: Date) {
  const { body, requested = body, range, queries, run }: Prepared = kinds[kind](given, now);
  const { from, to } = { from: range.from.toISOString(), to: range.to.toISOString() };
  const { background, ...query } = { ...requested, from, to };

  return {
    background,
    request: { ...body, from, to, background: true },

    /** How many events it reads, up to `limit`. */
    size: (stores: ReportStores, accountId: AccountId, limit: number) => reportSize(stores, accountId, queries, limit),

    async run(stores: ReportStores, accountId: AccountId) {
      const oldest = await stores.events.oldestPending(accountId);
      let read = 0;
      const { result, warnings = [] } = await run(stores, accountId, () => {
        read += 1;
      });
      const { timezone, include_bots } = body;
      const settings = await stores.settings.cached(accountId);
      return {
        ...{ from, to, timezone, include_bots, query, events_read: read, as_of: (oldest ?? new Date()).toISOString() },
        warnings: [...retentionWarnings(settings, queries), ...warnings],
        ...result,
      };
    },
  };
}
