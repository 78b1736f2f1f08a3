import type { ListVisitorsRequest } from '@marketing-platform/sdk';
import { countryName } from '../contacts/locale-names.ts';
import { eventLabel } from '../names/event-labels.ts';
import { addDays, dayOf } from '../time/zone.ts';

type VisitorsQuery = NonNullable<ListVisitorsRequest['query']>;
export type VisitorSearch = Pick<VisitorsQuery, 'contact_id' | 'identified' | 'event' | 'q' | 'country' | 'source' | 'goal' | 'include'>;

/** What traffic is broken down and filtered by. */
export const dimensions = {
  channel: 'Channel',
  source: 'Source',
  referrer: 'Referrer',
  utm_campaign: 'UTM campaign',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_term: 'UTM term',
  utm_content: 'UTM content',
  page: 'Page',
  entry_page: 'Entry page',
  exit_page: 'Exit page',
  country: 'Country',
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  event: 'Event',
} as const;
export type Dimension = keyof typeof dimensions;
const isDimension = (name: string): name is Dimension => Object.hasOwn(dimensions, name);
const dimensionNames = Object.keys(dimensions).filter(isDimension);

/** The breakdowns of the page, each with its dimensions; the first one is shown unless the URL has another. */
export const breakdowns = {
  sources: ['channel', 'source', 'referrer', 'utm_campaign', 'utm_source', 'utm_medium', 'utm_term', 'utm_content'],
  pages: ['page', 'entry_page', 'exit_page'],
  locations: ['country'],
  devices: ['device', 'browser', 'os'],
  events: ['event'],
} as const satisfies Record<string, readonly [Dimension, ...Dimension[]]>;
export type BreakdownName = keyof typeof breakdowns;
const isBreakdown = (name: string): name is BreakdownName => Object.hasOwn(breakdowns, name);
const breakdownNames = Object.keys(breakdowns).filter(isBreakdown);

export const ranges = [1, 7, 28, 90, 365] as const;
export type Days = (typeof ranges)[number];
export const defaultDays = 28 satisfies Days;
export const comparisons = { previous: 'the previous period', year: 'the same period a year earlier' } as const;
export const chartMetrics = { visitors: 'Visitors', sessions: 'Visits', pageviews: 'Page views' } as const;
export type ChartMetric = keyof typeof chartMetrics;

type Filters = { [name in Dimension]?: string };

/** The view that the traffic page shows. `from` and `to` are the days of a custom range, instead of `days`. */
export type TrafficSearch = Filters & { [name in BreakdownName]?: Dimension } & {
  days?: Days;
  from?: string;
  to?: string;
  /** The previous period unless the URL has another one, or `none`. */
  compare?: 'year' | 'none';
  metric?: ChartMetric;
};

const textOf = (value: unknown) => (['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? String(value) : undefined);
const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
const oneOf = <Value extends string>(names: Readonly<Record<Value, unknown>>, value: unknown) =>
  Object.keys(names).find((name): name is Value & string => name === value);

/** What a view is compared with, as the API names it. */
export const comparisonOf = ({ compare }: Pick<TrafficSearch, 'compare'>): keyof typeof comparisons | undefined =>
  compare === 'none' ? undefined : (compare ?? 'previous');

/** Parses the URL parameters of the traffic page. */
export function trafficSearch(raw: Record<string, unknown>): TrafficSearch {
  const days = ranges.find((one) => one === Number(raw.days));
  const custom = isDay(raw.from) && isDay(raw.to) ? { from: raw.from, to: raw.to } : undefined;
  const compare = raw.compare === 'year' || raw.compare === 'none' ? raw.compare : undefined;
  const metric = oneOf(chartMetrics, raw.metric);
  const search: TrafficSearch = { ...(custom ?? (days && { days })), ...(compare && { compare }), ...(metric && { metric }) };
  for (const name of breakdownNames) {
    const shown = breakdowns[name].find((dimension) => dimension === raw[name]);
    if (shown) search[name] = shown;
  }
  for (const { dimension, value } of filtersIn(raw)) search[dimension] = value;
  return search;
}

/** The filters of a view, in a fixed order. */
export const filtersIn = (search: Record<string, unknown>): { dimension: Dimension; value: string }[] =>
  dimensionNames.flatMap((dimension) => {
    const value = textOf(search[dimension]);
    return value === undefined ? [] : [{ dimension, value }];
  });

/** The view without its filters, or without the one of a dimension. */
export function withoutFilters(search: TrafficSearch, only?: Dimension): TrafficSearch {
  const removed = new Set<string>(only === undefined ? dimensionNames : [only]);
  return trafficSearch(Object.fromEntries(Object.entries(search).filter(([name]) => !removed.has(name))));
}

const dayMs = 86_400_000;
/** Ranges longer than this are shown by week. */
const maxDaysByDay = 100;

/** The first and last day of the view in the account's zone, and the interval of its chart. */
export function rangeOf({ days = defaultDays, from, to }: TrafficSearch, now = new Date()) {
  const last = to ?? dayOf(now);
  const first = from ?? addDays(last, 1 - days);
  const length = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1;
  return { from: first, to: last, interval: length === 1 ? 'hour' : length <= maxDaysByDay ? 'day' : 'week' } as const;
}

/** The value of a dimension as people write it. */
export function valueText(dimension: Dimension, value: string): string {
  if (dimension === 'country') return countryName(value);
  if (dimension === 'event') return eventLabel(value);
  if (dimension !== 'channel' && dimension !== 'device') return value;
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const visitorTexts = ['contact_id', 'event', 'q', 'source', 'goal'] as const;

/** Parses the URL parameters of the visitor list. */
export function visitorSearch({ identified, include, country, ...raw }: Record<string, unknown>): VisitorSearch {
  const texts = visitorTexts.flatMap((name) => {
    const text = textOf(raw[name]);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(typeof country === 'string' && /^[A-Z]{2}$/.test(country) && { country }),
    ...((identified === 'true' || identified === true) && { identified: 'true' as const }),
    ...((identified === 'false' || identified === false) && { identified: 'false' as const }),
    ...(include === 'bots' && { include: 'bots' as const }),
  };
}
