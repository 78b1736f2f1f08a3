import { sumOf } from '../events/money.ts';
import { dayMs, floorTo, quarterMs } from '../time/quarters.ts';

/** The counters of one value of one dimension in one period. They are integers, so that their sum does not depend on the order. */
export type Counters = {
  events: number;
  pageviews: number;
  sessions: number;
  bounces: number;
  duration_ms: number;
  /** Ten-thousandths by currency. Amounts in different currencies are never added together. */
  values: Record<string, number>;
};

/**
 * Dimensions of the session: a session with all its events counts at its start time, with the values of its first event,
 * or, for its source, of the first event that has one. Maps each dimension to its path in a stored session.
 */
export const sessionDimensions = {
  channel: 'touch.channel',
  source: 'touch.source',
  referrer: 'touch.referrer',
  utm_source: 'touch.utm_source',
  utm_campaign: 'touch.utm_campaign',
  country: 'country',
  device: 'device',
  browser: 'browser',
} as const;
export type SessionDimension = keyof typeof sessionDimensions;
export const isSessionDimension = (name: string): name is SessionDimension => Object.hasOwn(sessionDimensions, name);
export const sessionDimensionNames = Object.keys(sessionDimensions).filter(isSessionDimension);

/**
 * All dimensions. Those of the event itself (`all`, `page`, `event`) count when it happened; `all` has one value, for
 * totals and series.
 */
export const dimensions = [
  'all',
  'page',
  'event',
  'channel',
  'source',
  'referrer',
  'utm_source',
  'utm_campaign',
  'country',
  'device',
  'browser',
] as const satisfies ('all' | 'page' | 'event' | SessionDimension)[];
export type Dimension = (typeof dimensions)[number];

export type Grain = 'quarter' | 'day';
export const grains = { quarter: quarterMs, day: dayMs } as const satisfies Record<Grain, number>;

export type Contribution = { dimension: Dimension; value: string; at: Date; bot: boolean; counters: Counters };

export const none: Counters = { events: 0, pageviews: 0, sessions: 0, bounces: 0, duration_ms: 0, values: {} };

export const plus = (a: Counters, b: Counters, sign: 1 | -1 = 1): Counters => ({
  events: a.events + sign * b.events,
  pageviews: a.pageviews + sign * b.pageviews,
  sessions: a.sessions + sign * b.sessions,
  bounces: a.bounces + sign * b.bounces,
  duration_ms: a.duration_ms + sign * b.duration_ms,
  values: sumOf(
    a.values,
    sign === 1 ? b.values : Object.fromEntries(Object.entries(b.values).map(([currency, units]) => [currency, -units])),
  ),
});

export type Cell = { grain: Grain; dimension: Dimension; value: string; at: Date; bot: boolean; counters: Counters };

/** Adds contributions up to the rollup cells that they change. */
export function createTally() {
  const cells = new Map<string, Cell>();
  return {
    add(contributions: readonly Contribution[], sign: 1 | -1 = 1) {
      for (const { dimension, value, at, bot, counters } of contributions) {
        for (const grain of ['quarter', 'day'] as const) {
          const start = floorTo(at, grains[grain]);
          const key = `${grain} ${dimension} ${bot} ${start.getTime()} ${value}`;
          const cell = cells.get(key) ?? { grain, dimension, value, at: start, bot, counters: none };
          cells.set(key, { ...cell, counters: plus(cell.counters, counters, sign) });
        }
      }
    },

    /** The changed cells, without those whose changes cancel out. */
    cells: (): Cell[] => [...cells.values()].filter(({ counters }) => !isNone(counters)),
  };
}

export const isNone = ({ values, ...counters }: Counters) =>
  Object.values(counters).every((count) => count === 0) && Object.values(values).every((units) => units === 0);
