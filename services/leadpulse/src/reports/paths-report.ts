import { z } from 'zod';
import type { ReportEvent } from '../events/report-events.ts';
import { EventMatch, matcherOf } from './event-match.ts';
import { asRun, reportFields, reportRange, resultFields } from './report-range.ts';

const maxDepth = 6;
const maxTop = 50;

const Paths = z.strictObject({
  ...reportFields,
  from_event: EventMatch.optional().describe('Start each path at the first such event of a session.'),
  to_event: EventMatch.optional().describe('End each path at the last such event of a session, and follow it backwards.'),
  nodes: z
    .enum(['pages', 'events', 'both'])
    .default('pages')
    .describe(
      'What a path consists of: the pages that were viewed, the custom events, or both. An event that it starts or ends with is always part of it. ' +
        'A page that is viewed again immediately, such as by reloading it, counts once; an event counts each time.',
    ),
  depth: z.number().int().min(2).max(maxDepth).default(4).describe('The number of steps of a path.'),
  top: z.number().int().min(1).max(maxTop).default(10).describe('The number of nodes listed for each step; all others are combined.'),
});

export const PathsBody = Paths.refine(({ from_event, to_event }) => from_event === undefined || to_event === undefined, {
  message: 'Use from_event or to_event, not both.',
  path: ['to_event'],
  params: { code: 'unsupported_combination' },
});
export type PathsBody = z.output<typeof PathsBody>;

const node = z.string().nullable().describe('The path of a page or the name of an event; null combines all that are not listed.');
const sessions = z.number().int().describe('The number of sessions.');

export const PathsResult = z
  .object({
    ...resultFields,
    query: Paths.omit({ background: true }).describe(asRun),
    direction: z.enum(['forward', 'backward']).describe('`backward`: step 1 is the end of the path.'),
    sessions: z.number().int().describe('The number of sessions with a path.'),
    steps: z
      .array(
        z.object({
          step: z.number().int().describe('The number of the step, from 1.'),
          nodes: z
            .array(z.object({ node, sessions, ended: z.number().int().describe('The number of sessions whose path ends here.') }))
            .describe('The nodes with the most sessions, and all others combined.'),
          links: z.array(z.object({ from: node, to: node, sessions })).describe('From the nodes of this step to those of the next.'),
        }),
      )
      .describe('The steps, in the direction of the path.'),
  })
  .meta({ id: 'PathsResult' });

const separator = '\n';

type Step = { node: string; isPage: boolean; anchor: boolean };

/** Counts the paths of sessions, over events sorted by person and time. A session is a person's events without a gap of `idleMs`. */
export function startPaths({ from_event, to_event, nodes, depth, top }: PathsBody, idleMs: number) {
  const isAnchor = from_event ? matcherOf(from_event) : to_event ? matcherOf(to_event) : undefined;
  const counts = Array.from({ length: depth }, () => new Map<string, { sessions: number; ended: number }>());
  const links = Array.from({ length: depth - 1 }, () => new Map<string, number>());
  let total = 0;
  let last: ReportEvent | undefined;
  let session: Step[] = [];

  const pageOf = ({ name, path }: ReportEvent) => (name === '$pageview' && nodes !== 'events' ? (path ?? undefined) : undefined);
  const isCustom = ({ name }: ReportEvent) => !name.startsWith('$') && nodes !== 'pages';

  function end() {
    const path = pathOf(session, to_event !== undefined, isAnchor !== undefined).slice(0, depth);
    session = [];
    if (path.length === 0) return;
    total += 1;
    path.forEach((name, index) => {
      const count = counts[index]?.get(name) ?? { sessions: 0, ended: 0 };
      counts[index]?.set(name, { sessions: count.sessions + 1, ended: count.ended + (index === path.length - 1 ? 1 : 0) });
      const next = path[index + 1];
      if (next === undefined) return;
      const link = name + separator + next;
      links[index]?.set(link, (links[index]?.get(link) ?? 0) + 1);
    });
  }

  return {
    add(event: ReportEvent) {
      if (last && (last.person !== event.person || event.time.getTime() - last.time.getTime() >= idleMs)) end();
      last = event;
      const anchor = isAnchor?.(event) ?? false;
      const viewed = pageOf(event);
      if (viewed !== undefined) session.push({ node: viewed, isPage: true, anchor });
      else if (anchor || isCustom(event)) session.push({ node: event.name, isPage: false, anchor });
    },

    result() {
      end();
      const listed = counts.map(
        (of) =>
          new Set(
            [...of]
              .sort(largestFirst)
              .slice(0, top)
              .map(([name]) => name),
          ),
      );
      const shown = (index: number, name: string) => (listed[index]?.has(name) ? name : null);
      return {
        direction: to_event ? ('backward' as const) : ('forward' as const),
        sessions: total,
        steps: counts.map((of, index) => ({
          step: index + 1,
          nodes: combined([...of], ([name]) => [shown(index, name)])
            .map(([[name = null], parts]) => ({
              node: name,
              sessions: sumOf(parts.map(([, { sessions: own }]) => own)),
              ended: sumOf(parts.map(([, { ended }]) => ended)),
            }))
            .sort(bySessions),
          links: combined([...(links[index] ?? [])], ([link]) => {
            const [name = '', next = ''] = link.split(separator);
            return [shown(index, name), shown(index + 1, next)];
          })
            .map(([[name = null, next = null], parts]) => ({ from: name, to: next, sessions: sumOf(parts.map(([, own]) => own)) }))
            .sort(bySessions),
        })),
      };
    },
  };
}

/** The nodes from the anchor on, in the direction of the path; a page that repeats directly counts once. */
function pathOf(session: readonly Step[], backward: boolean, anchored: boolean): string[] {
  const ordered = backward ? session.toReversed() : session;
  const start = anchored ? ordered.findIndex(({ anchor }) => anchor) : 0;
  const steps = start === -1 ? [] : ordered.slice(start);
  const isRepeated = ({ node: name, isPage }: Step, before: Step | undefined) => isPage && before?.isPage === true && name === before.node;
  return steps.filter((step, index) => !isRepeated(step, steps[index - 1])).map(({ node: name }) => name);
}

/** Groups rows whose nodes are shown in the same way. */
function combined<Row>(rows: readonly Row[], keyOf: (row: Row) => (string | null)[]): [(string | null)[], Row[]][] {
  const groups = new Map<string, [(string | null)[], Row[]]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(JSON.stringify(key)) ?? [key, []];
    groups.set(JSON.stringify(key), group);
    group[1].push(row);
  }
  return [...groups.values()];
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

const largestFirst = ([a, one]: [string, { sessions: number }], [b, other]: [string, { sessions: number }]) =>
  other.sessions - one.sessions || (a < b ? -1 : 1);

const bySessions = (a: { sessions: number }, b: { sessions: number }) => b.sessions - a.sessions;

export const pathsQuery = (body: PathsBody, now?: Date) => ({ range: reportRange(body, 'month', now), names: undefined });
