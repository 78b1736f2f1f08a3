import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reportEvent, reportEvents } from '../../test/report-event.ts';
import type { ReportEvent } from '../events/report-events.ts';
import { PathsBody, startPaths } from './paths-report.ts';

const anchors = [
  undefined,
  { from_event: { page: '/pricing' } },
  { from_event: { event: 'signup' } },
  { to_event: { event: 'purchase' } },
] as const;

/** The paths of all sessions, as lists of nodes. */
function pathsOf(
  events: readonly ReportEvent[],
  anchor: (typeof anchors)[number],
  nodes: string,
  depth: number,
  idleMs: number,
): string[][] {
  const sessions: ReportEvent[][] = [];
  for (const event of events) {
    const last = sessions.at(-1)?.at(-1);
    if (last && last.person === event.person && event.time.getTime() - last.time.getTime() < idleMs) sessions.at(-1)?.push(event);
    else sessions.push([event]);
  }
  const isAnchor = ({ name, path }: ReportEvent) =>
    anchor === undefined ||
    ('to_event' in anchor
      ? name === 'purchase'
      : 'page' in anchor.from_event
        ? name === '$pageview' && path === '/pricing'
        : name === 'signup');
  const isNode = (event: ReportEvent) =>
    (event.name === '$pageview' && nodes !== 'events') ||
    (!event.name.startsWith('$') && nodes !== 'pages') ||
    (anchor !== undefined && isAnchor(event));
  return sessions.flatMap((session) => {
    const own = session.filter(isNode);
    const ordered = anchor && 'to_event' in anchor ? own.toReversed() : own;
    const from = ordered.findIndex(isAnchor);
    if (from === -1) return [];
    const path: string[] = [];
    for (const { name, path: page } of ordered.slice(from)) {
      const isPage = name === '$pageview' && nodes !== 'events';
      const node = isPage ? (page ?? '') : name;
      if (!isPage || node !== path.at(-1)) path.push(node);
    }
    return [path.slice(0, depth)];
  });
}

test('a page that is viewed again immediately counts once, and a repeated event each time', () => {
  const events = ['$pageview', '$pageview', 'add_to_cart', 'add_to_cart', '$pageview'].map((name, minute) =>
    reportEvent('a', minute, name),
  );
  const pathOf = (nodes: string, events: readonly ReportEvent[]) => {
    const report = startPaths(PathsBody.parse({ nodes, depth: 6 }), 30 * 60_000);
    for (const event of events) report.add(event);
    return report.result().steps.flatMap(({ nodes: own }) => own.map(({ node }) => node));
  };
  assert.deepEqual(pathOf('pages', events), ['/']);
  assert.deepEqual(pathOf('events', events), ['add_to_cart', 'add_to_cart']);
  assert.deepEqual(pathOf('both', events), ['/', 'add_to_cart', 'add_to_cart', '/']);
});

test('paths equal a recount of every session, from a page, from and to an event, and with the smaller nodes combined', () => {
  fc.assert(
    fc.property(
      reportEvents,
      fc.constantFrom(...anchors),
      fc.constantFrom('pages', 'events', 'both'),
      fc.integer({ min: 2, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(5, 30, 240),
      (events, anchor, nodes, depth, top, minutes) => {
        const report = startPaths(PathsBody.parse({ ...anchor, nodes, depth, top }), minutes * 60_000);
        for (const event of events) report.add(event);
        const { steps, sessions } = report.result();

        const paths = pathsOf(events, anchor, nodes, depth, minutes * 60_000);
        assert.equal(sessions, paths.length);
        assert.equal(steps.length, depth);
        const listed = steps.map(({ nodes: own }) => own.flatMap(({ node }) => (node === null ? [] : [node])));
        const shown = (step: number, node: string | undefined) => (node !== undefined && listed[step]?.includes(node) ? node : null);
        for (const [index, step] of steps.entries()) {
          const reached = paths.filter(({ length }) => length > index);
          const names = new Set(reached.map((path) => path[index]));
          assert.equal(listed[index]?.length, Math.min(top, names.size));
          for (const { node, sessions: count, ended } of step.nodes) {
            const own = reached.filter((path) => shown(index, path[index]) === node);
            assert.deepEqual([count, ended], [own.length, own.filter(({ length }) => length === index + 1).length]);
          }
          const next = paths.filter(({ length }) => length > index + 1);
          for (const { from, to, sessions: count } of step.links)
            assert.equal(
              count,
              next.filter((path) => shown(index, path[index]) === from && shown(index + 1, path[index + 1]) === to).length,
            );
          assert.equal(
            step.links.reduce((sum, link) => sum + link.sessions, 0),
            next.length,
          );
          const smallest = Math.min(...step.nodes.filter(({ node }) => node !== null).map((node) => node.sessions));
          for (const name of names)
            if (shown(index, name) === null) assert.ok(reached.filter((path) => path[index] === name).length <= smallest);
        }
      },
    ),
    { numRuns: 400 },
  );
});
