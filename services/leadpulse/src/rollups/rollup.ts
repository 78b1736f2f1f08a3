import { sumOf } from '../events/money.ts';
import { dayMs, quarterMs } from '../time/quarters.ts';

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

export const plus = (a: Counters, b: Counters): Counters => ({
  events: a.events + b.events,
  pageviews: a.pageviews + b.pageviews,
  sessions: a.sessions + b.sessions,
  bounces: a.bounces + b.bounces,
  duration_ms: a.duration_ms + b.duration_ms,
  values: sumOf(a.values, b.values),
});

export type Cell = { grain: Grain; dimension: Dimension; value: string; at: Date; bot: boolean; counters: Counters };

/** Adds contributions up to the rollup cells that they change. */
export function createTally() {
  const cells = new Map<string, Cell>();

  function cellOf({ dimension, value, at, bot }: Contribution, grain: Grain): Cell {
    const start = Math.floor(at.getTime() / grains[grain]) * grains[grain];
    const key = `${grain} ${dimension} ${bot} ${start} ${value}`;
    const known = cells.get(key);
    if (known) return known;
    const cell = { grain, dimension, value, at: new Date(start), bot, counters: { ...none, values: {} } };
    cells.set(key, cell);
    return cell;
  }

  return {
    add(contributions: readonly Contribution[], sign: 1 | -1 = 1) {
      for (const contribution of contributions)
        for (const grain of ['quarter', 'day'] as const) addTo(cellOf(contribution, grain).counters, contribution.counters, sign);
    },

    /** The changed cells, without those whose changes cancel out. */
    cells: (): Cell[] => [...cells.values()].filter(({ counters }) => !isNone(counters)),
  };
}

function addTo(sum: Counters, added: Counters, sign: 1 | -1) {
  sum.events += sign * added.events;
  sum.pageviews += sign * added.pageviews;
  sum.sessions += sign * added.sessions;
  sum.bounces += sign * added.bounces;
  sum.duration_ms += sign * added.duration_ms;
  for (const [currency, units] of Object.entries(added.values)) sum.values[currency] = (sum.values[currency] ?? 0) + sign * units;
}

export const isNone = ({ values, ...counters }: Counters) =>
  Object.values(counters).every((count) => count === 0) && Object.values(values).every((units) => units === 0);
