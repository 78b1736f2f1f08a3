import type { Event } from '../events/event.ts';
import { durationMs, isBounce, isPageview, type Session, sumOf } from '../sessions/session.ts';

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
const sessionDimensionNames = Object.keys(sessionDimensions).filter(isSessionDimension);

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

/** The largest unit on which the days of every time zone start. */
export const quarterMs = 15 * 60 * 1_000;
export const dayMs = 24 * 60 * 60 * 1_000;

export type Grain = 'quarter' | 'day';
export const grains = { quarter: quarterMs, day: dayMs } as const satisfies Record<Grain, number>;

export const floorTo = (at: Date, ms: number) => new Date(Math.floor(at.getTime() / ms) * ms);

export type Contribution = { dimension: Dimension; value: string; at: Date; bot: boolean; counters: Counters };

const none: Counters = { events: 0, pageviews: 0, sessions: 0, bounces: 0, duration_ms: 0, values: {} };

export function contributionsOfEvent(event: Event): Contribution[] {
  const { time: at, bot, name } = event;
  const pageviews = isPageview(event) ? 1 : 0;
  const counters: Counters = { ...none, events: 1, pageviews, values: event.value ? { [event.value.currency]: event.value.units } : {} };
  const path = event.page?.path ?? null;
  return [
    { dimension: 'all', value: '', at, bot, counters },
    { dimension: 'event', value: name, at, bot, counters },
    ...(path === null ? [] : [{ dimension: 'page' as const, value: path, at, bot, counters }]),
  ];
}

export function contributionsOfSession(session: Session): Contribution[] {
  const { bot, first, events, pageviews, values } = session;
  const visit: Counters = { ...none, sessions: 1, bounces: isBounce(session) ? 1 : 0, duration_ms: durationMs(session) };
  const whole: Counters = { ...visit, events, pageviews, values };
  const own: Record<SessionDimension, string | null> = {
    channel: session.touch.channel,
    source: session.touch.source,
    referrer: session.touch.referrer,
    utm_source: session.touch.utm_source,
    utm_campaign: session.touch.utm_campaign,
    country: session.country,
    device: session.device,
    browser: session.browser,
  };
  const entry = session.entry?.path ?? null;
  const at = first.at;
  return [
    { dimension: 'all', value: '', at, bot, counters: visit },
    ...(entry === null ? [] : [{ dimension: 'page' as const, value: entry, at, bot, counters: visit }]),
    ...sessionDimensionNames.flatMap((dimension) => {
      const value = own[dimension];
      return value === null ? [] : [{ dimension, value, at, bot, counters: whole }];
    }),
  ];
}

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
