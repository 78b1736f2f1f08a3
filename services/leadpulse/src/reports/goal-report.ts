import { invalid } from '@mp/contracts/errors';
import type { AccountId, VisitorId } from '@mp/ids';
import { z } from 'zod';
import { Value } from '../events/event-body.ts';
import { amountsOf, Money } from '../events/money.ts';
import type { ReportEvent, ReportQuery } from '../events/report-events.ts';
import type { StoredSession } from '../sessions/session.ts';
import type { VisitorTouch } from '../visitors/visitor.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { EventMatch, matcherOf } from './event-match.ts';
import { batchesWithSessions, type SessionEventStores } from './events-with-sessions.ts';
import { QueryDimension, type SessionEvent, sessionEventValue } from './query-dimension.ts';
import { dimensionsOf, filterHolds, QueryFilter } from './query-filter.ts';
import { requireGroups } from './query-report.ts';
import { asRun, reportFields, resultFields, Share, shareOf } from './report-range.ts';

/** The dimensions of where a session came from, which the first session of a visitor has too. */
const touchDimensions = ['channel', 'source', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'entry_page'] as const;
type TouchDimension = (typeof touchDimensions)[number];
const isOfTouch = (name: string): name is TouchDimension => touchDimensions.some((one) => one === name);

const maxValues = 100;

export const reportGoalFields = {
  ...reportFields,
  by: QueryDimension.optional().describe(
    'Also report the conversions for each value of this dimension. `utm_source`, `utm_medium` and `utm_campaign` are those of the session.',
  ),
  attribution: z
    .enum(['last', 'first'])
    .default('last')
    .describe(
      'Which session sets the dimensions of a conversion. `last`: the session, or the event, of the conversion. ' +
        `\`first\`: the visitor's first session; supports only ${touchDimensions.map((name) => `\`${name}\``).join(', ')}.`,
    ),
  filter: QueryFilter.optional().describe(
    'Count only the events that it selects, in conversions and in the visitors and sessions they are a share of.',
  ),
};

export const GoalReportBody = z.strictObject({ ...reportGoalFields, goal_id: z.string(), match: EventMatch, value: Value.nullable() });
export type GoalReportBody = z.output<typeof GoalReportBody>;

const definitions = {
  last: 'The value of the session in which the conversion happened, or of the event, for what differs from event to event.',
  first: "The value of the visitor's first session, whenever it was.",
};

const Conversions = z.object({
  conversions: z.number().int().describe('The number of conversions.'),
  visitors: Share.describe('The share of visitors with an event in the range that converted.'),
  sessions: Share.describe('The share of sessions with an event in the range in which a conversion happened.'),
  revenue: z.array(Money).describe('The total value of the conversions, by currency.'),
});

export const GoalResult = z
  .object({
    ...resultFields,
    query: z.strictObject(reportGoalFields).omit({ background: true }).describe(asRun),
    goal_id: z.string().describe('The ID of the goal.'),
    totals: Conversions.describe('All conversions.'),
    attribution: z.enum(['last', 'first']).describe('How conversions are attributed.'),
    attribution_definition: z.string().describe('The definition of that attribution, in words.'),
    breakdown: z
      .object({
        by: QueryDimension.describe('The dimension.'),
        items: z
          .array(Conversions.extend({ value: z.string().nullable().describe('The value; null for none.') }))
          .describe(`The ${maxValues} values with the most conversions, largest first.`),
        truncated: z.boolean().describe('Whether there are more values.'),
      })
      .nullable()
      .describe('The conversions by value; null without `by`.'),
  })
  .meta({ id: 'GoalResult' });

/** Counts conversions; events must be sorted by visitor. */
function createConversions(defaultValue: GoalReportBody['value']) {
  const counts = { conversions: 0, visitors: 0, convertedVisitors: 0, sessions: 0, convertedSessions: 0 };
  const values: Record<string, number> = {};
  let visitor: VisitorId | undefined;
  let hasConverted = false;
  /** The sessions of the visitor, and whether a conversion happened in them. */
  let sessions = new Map<string, boolean>();

  return {
    add(event: ReportEvent, session: StoredSession | undefined, isConversion: boolean) {
      if (event.visitor !== visitor) {
        visitor = event.visitor;
        hasConverted = false;
        sessions = new Map();
        counts.visitors += 1;
      }
      const known = session && sessions.get(session.id);
      if (session && known === undefined) counts.sessions += 1;
      if (session && isConversion && !known) counts.convertedSessions += 1;
      if (session) sessions.set(session.id, known === true || isConversion);
      if (!isConversion) return;
      counts.conversions += 1;
      if (!hasConverted) counts.convertedVisitors += 1;
      hasConverted = true;
      const value = event.value ?? (defaultValue && { units: Math.round(defaultValue.amount * 10_000), currency: defaultValue.currency });
      if (value) values[value.currency] = (values[value.currency] ?? 0) + value.units;
    },

    view: (): z.output<typeof Conversions> => ({
      conversions: counts.conversions,
      visitors: shareOf(counts.convertedVisitors, counts.visitors),
      sessions: shareOf(counts.convertedSessions, counts.sessions),
      revenue: amountsOf(values),
    }),
  };
}

const ofTouch = (touch: VisitorTouch | null | undefined, by: TouchDimension): string | null =>
  touch ? (by === 'entry_page' ? touch.page : touch[by]) : null;

const ofSession = (session: StoredSession | undefined, by: TouchDimension): string | null =>
  session ? (by === 'entry_page' ? (session.entry?.path ?? null) : session.touch[by]) : null;

/** Throws VALIDATION_ERROR if the first session of a visitor does not have the dimension. */
export function requireAttributable({ by, attribution }: Pick<GoalReportBody, 'by' | 'attribution'>) {
  if (attribution === 'first' && by !== undefined && !isOfTouch(by))
    throw invalid('/by', 'unsupported_combination', `attribution first supports only the dimensions ${touchDimensions.join(', ')}.`);
}

type Touches = Map<VisitorId, VisitorTouch | null>;

/** The value of a dimension, from the first session of each visitor if `touches` are given. */
function attributedValue(by: string): (sessionEvent: SessionEvent, touches: Touches | undefined) => string | null {
  if (!isOfTouch(by)) return sessionEventValue(by);
  return ({ event, session }, touches) => (touches ? ofTouch(touches.get(event.visitor), by) : ofSession(session, by));
}

type Run = {
  stores: SessionEventStores & { visitors: VisitorsStore };
  accountId: AccountId;
  body: GoalReportBody;
  query: ReportQuery;
  onEvent: () => void;
};

export async function runGoalReport({ stores, accountId, body, query, onEvent }: Run) {
  const { by, attribution, match, value, filter } = body;
  const isConversion = matcherOf(match);
  const isSelected = filter && filterHolds(filter);
  const keyOf = by === undefined ? undefined : attributedValue(by);
  const totals = createConversions(value);
  const rows = new Map<string | null, ReturnType<typeof createConversions>>();
  const dimensions = [by ?? [], filter ? dimensionsOf(filter) : []].flat();
  for await (const batch of batchesWithSessions(stores, accountId, { ...query, dimensions })) {
    const ids = [...new Set(batch.map(({ event }) => event.visitor))];
    const touches = by !== undefined && attribution === 'first' ? await stores.visitors.firstTouches(accountId, ids) : undefined;
    for (const sessionEvent of batch) {
      onEvent();
      if (isSelected && !isSelected(sessionEvent)) continue;
      const { event, session } = sessionEvent;
      const converts = isConversion(event);
      totals.add(event, session, converts);
      if (!keyOf) continue;
      const key = keyOf(sessionEvent, touches);
      const row = rows.get(key) ?? createConversions(value);
      rows.set(key, row);
      row.add(event, session, converts);
      requireGroups(rows.size, '/by');
    }
  }
  const items = [...rows]
    .map(([of, row]) => ({ value: of, ...row.view() }))
    .sort(
      (a, b) =>
        b.conversions - a.conversions || b.visitors.denominator - a.visitors.denominator || ((a.value ?? '') < (b.value ?? '') ? -1 : 1),
    );
  return {
    goal_id: body.goal_id,
    totals: totals.view(),
    attribution,
    attribution_definition: definitions[attribution],
    breakdown: by === undefined ? null : { by, items: items.slice(0, maxValues), truncated: items.length > maxValues },
  };
}
