import type { RunFunnelRequest, RunPathsRequest, RunRetentionRequest } from '@marketing-platform/sdk';
import { accountZone } from '../time/zone.ts';
import { type Days, rangeOf, ranges } from './leadpulse-search.ts';
import type { SavedReport } from './use-saved-reports.ts';

export const reportKinds = { funnel: 'Funnel', retention: 'Retention', paths: 'Paths' } as const;
export type ReportKind = keyof typeof reportKinds;
export const windows = { PT1H: '1 hour', P1D: '1 day', P7D: '7 days', P30D: '30 days', P90D: '90 days' } as const;
export const intervals = { day: 'Day', week: 'Week', month: 'Month' } as const;
export const directions = { from: 'Paths that start with', to: 'Paths that lead to' } as const;
export const nodeKinds = { pages: 'Pages', events: 'Events', both: 'Pages and events' } as const;

type FunnelBody = RunFunnelRequest['body'];
type RetentionBody = RunRetentionRequest['body'];
type PathsBody = NonNullable<RunPathsRequest['body']>;
type Match = RetentionBody['first'];

/** What a report page shows. Events and pages are texts: one that begins with `/` is a page. */
export type ReportSearch = {
  /** A funnel by default. */
  kind?: ReportKind;
  days?: Days;
  from?: string;
  to?: string;
  steps?: string[];
  window?: keyof typeof windows;
  strict?: true;
  first?: string;
  returning?: string;
  interval?: keyof typeof intervals;
  direction?: keyof typeof directions;
  anchor?: string;
  nodes?: keyof typeof nodeKinds;
};

export const maxSteps = 10;

const textOf = (value: unknown) => (['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '');
const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
const oneOf = <Value extends string>(names: Readonly<Record<Value, unknown>>, value: unknown) =>
  Object.keys(names).find((name): name is Value & string => name === value);

/** Parses the URL parameters of a report page. */
export function reportSearch(raw: Record<string, unknown>): ReportSearch {
  const days = ranges.find((one) => one === Number(raw.days));
  const custom = isDay(raw.from) && isDay(raw.to) ? { from: raw.from, to: raw.to } : undefined;
  const steps = Array.isArray(raw.steps) ? raw.steps.map(textOf).slice(0, maxSteps) : [];
  const kind = oneOf(reportKinds, raw.kind);
  const [window, interval] = [oneOf(windows, raw.window), oneOf(intervals, raw.interval)];
  const [direction, nodes] = [oneOf(directions, raw.direction), oneOf(nodeKinds, raw.nodes)];
  const [first, returning, anchor] = [textOf(raw.first), textOf(raw.returning), textOf(raw.anchor)];
  return {
    ...(kind && kind !== 'funnel' && { kind }),
    ...(custom ?? (days && { days })),
    ...(steps.length > 0 && { steps }),
    ...(window && { window }),
    ...(raw.strict === true && { strict: true }),
    ...(first && { first }),
    ...(returning && { returning }),
    ...(interval && { interval }),
    ...(direction && { direction }),
    ...(anchor && { anchor }),
    ...(nodes && { nodes }),
  };
}

export const matchOf = (text: string): Match => (text.startsWith('/') ? { page: text } : { event: text });

/** The text of a match; undefined if a text cannot say it. */
export const matchText = ({ event, page, where }: Match): string | undefined =>
  where !== undefined || (event !== undefined && page !== undefined) ? undefined : (event ?? page);

/** The fields of a form. */
export type ReportDraft = Required<Omit<ReportSearch, 'days' | 'from' | 'to' | 'strict'>> & { strict: boolean };

const defaults: ReportDraft = {
  kind: 'funnel',
  steps: ['$pageview', ''],
  window: 'P30D',
  strict: false,
  first: '$pageview',
  returning: '$pageview',
  interval: 'week',
  direction: 'from',
  anchor: '',
  nodes: 'pages',
};

/** The fields of a form, with what the URL leaves out. */
export const withDefaults = ({ days, from, to, ...search }: ReportSearch): ReportDraft => ({ ...defaults, ...search });

export type ReportRequest =
  | { kind: 'funnel'; request: FunnelBody }
  | { kind: 'retention'; request: RetentionBody }
  | { kind: 'paths'; request: PathsBody };

/** The request of a report, without its range; undefined while it is incomplete. */
export function requestOf(search: ReportSearch): ReportRequest | undefined {
  const { kind, steps, window, strict, first, returning, interval, direction, anchor, nodes } = withDefaults(search);
  if (kind === 'retention')
    return { kind, request: { timezone: accountZone(), first: matchOf(first), returning: matchOf(returning), interval } };
  if (kind === 'paths') {
    const match = anchor === '' ? undefined : matchOf(anchor);
    return {
      kind,
      request: {
        timezone: accountZone(),
        nodes,
        depth: 4,
        ...(match && (direction === 'from' ? { from_event: match } : { to_event: match })),
      },
    };
  }
  const named = steps.filter((step) => step !== '');
  if (named.length < 2) return undefined;
  return { kind, request: { timezone: accountZone(), steps: named.map(matchOf), window, order: strict ? 'strict' : 'ordered' } };
}

/** The range of a page as the API takes it. */
export function rangeFields(search: ReportSearch) {
  const { from, to } = rangeOf(search);
  return { from, to };
}

/** A saved report as a page; undefined if the page cannot show it. */
export function searchOf({ days, report }: Pick<SavedReport, 'days' | 'report'>): ReportSearch | undefined {
  if (report.kind === 'query') return undefined;
  const { kind, request } = report;
  const { from, to } = request;
  const known = (texts: (string | undefined)[]) => texts.every((text) => text !== undefined);
  const range = { kind, days, from, to };
  if (typeof days === 'number' && !ranges.some((one) => one === days)) return undefined;
  if (kind === 'funnel') {
    const steps = request.steps.map(matchText);
    if (!known(steps) || request.by !== undefined || !oneOf(windows, request.window ?? defaults.window)) return undefined;
    return reportSearch({ ...range, steps, window: request.window, strict: request.order === 'strict' });
  }
  if (kind === 'retention') {
    const [first, returning] = [matchText(request.first), matchText(request.returning)];
    if (!known([first, returning])) return undefined;
    return reportSearch({ ...range, first, returning, interval: request.interval });
  }
  const match = request.from_event ?? request.to_event;
  const anchor = match && matchText(match);
  if (match && anchor === undefined) return undefined;
  return reportSearch({ ...range, anchor, direction: request.to_event ? 'to' : 'from', nodes: request.nodes });
}
