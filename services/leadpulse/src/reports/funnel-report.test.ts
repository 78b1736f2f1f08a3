import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import fc from 'fast-check';
import { reportEvent, reportEvents } from '../../test/report-event.ts';
import type { ReportEvent } from '../events/report-events.ts';
import { medianOf } from './evaluate-funnel.ts';
import { FunnelBody, startFunnel } from './funnel-report.ts';

type Is = (event: ReportEvent) => boolean;

/** The steps of a funnel, each as the API takes it and as an independent condition. */
const steps: [body: object, is: Is][] = [
  [{ page: '/' }, ({ name, path }) => name === '$pageview' && path === '/'],
  [{ page: '/docs/*' }, ({ name, path }) => name === '$pageview' && /^\/docs\//.test(path ?? '')],
  [{ event: '$pageview' }, ({ name }) => name === '$pageview'],
  [{ event: 'signup' }, ({ name }) => name === 'signup'],
  [{ event: 'signup', where: { 'properties.plan': 'pro' } }, ({ name, properties }) => name === 'signup' && properties.plan === 'pro'],
  [{ event: 'purchase' }, ({ name }) => name === 'purchase'],
  [{ event: '$identify' }, ({ name }) => name === '$identify'],
];

/** Tries every entry on its own, and takes for each next step the first event that follows; if strict, only the very next action. */
function bestAttempt(
  all: readonly ReportEvent[],
  conditions: readonly Is[],
  windowMs: number,
  isStrict: boolean,
): ReportEvent[] | undefined {
  const events = isStrict ? all.filter((event) => event.name !== '$identify' || conditions.some((is) => is(event))) : all;
  const attempts = events.flatMap((entry, start) => {
    if (!conditions[0]?.(entry)) return [];
    const chain = [entry];
    let position = start;
    for (const is of conditions.slice(1)) {
      position = events.findIndex((event, index) => index > position && is(event) && (!isStrict || index === position + 1));
      const next = events[position];
      if (!next || next.time.getTime() - entry.time.getTime() > windowMs) break;
      chain.push(next);
    }
    return [chain];
  });
  const furthest = attempts.filter(({ length }) => length === Math.max(...attempts.map((other) => other.length)));
  const reached = (chain: readonly ReportEvent[]) => events.indexOf(chain.at(-1) ?? reportEvent('', 0, ''));
  const first = Math.min(...furthest.map(reached));
  return furthest.filter((chain) => reached(chain) === first).at(-1);
}

test('a funnel equals a recount that tries every entry of every person', () => {
  fc.assert(
    fc.property(
      reportEvents,
      fc.array(fc.constantFrom(...steps), { minLength: 2, maxLength: 4 }),
      fc.constantFrom('PT20M', 'PT3H', 'P2D'),
      fc.constantFrom('ordered', 'strict'),
      (events, chosen, window, order) => {
        const body = FunnelBody.parse({ steps: chosen.map(([step]) => step), window, order, by: 'country' });
        const funnel = startFunnel(body);
        for (const event of events) funnel.add(event);
        const { steps: found, breakdown } = funnel.result();

        const windowMs = { PT20M: 20, PT3H: 180, P2D: 2_880 }[window] * 60_000;
        const conditions = chosen.map(([, is]) => is);
        const all = [...Map.groupBy(events, ({ person }) => person).values()].flatMap((own) => {
          const attempt = bestAttempt(own, conditions, windowMs, order === 'strict');
          return attempt ? [attempt] : [];
        });
        const expected = (some: readonly ReportEvent[][]) =>
          chosen.map((_, index) => {
            const reached = some.filter(({ length }) => length > index);
            const seconds = reached.flatMap((chain) => {
              const [before, at] = [chain[index - 1]?.time.getTime(), chain[index]?.time.getTime()];
              return before === undefined || at === undefined ? [] : [(at - before) / 1_000];
            });
            const sorted = seconds.toSorted((a, b) => a - b);
            const middle = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
            return { people: reached.length, median: sorted.length === 0 ? null : ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2 };
          });
        const shown = (these: typeof found) => these.map(({ people, median_seconds }) => ({ people, median: median_seconds }));
        assert.deepEqual(shown(found), expected(all));
        const byCountry = Map.groupBy(all, ([entry]) => entry?.country ?? null);
        assert.deepEqual(
          new Map(breakdown?.items.map(({ value, steps: own }) => [value, shown(own)])),
          new Map([...byCountry].map(([country, some]) => [country, expected(some)])),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('one event is not two steps, steps count in order only, and the window ends at its last millisecond', () => {
  const run = (window: string, events: ReportEvent[], ...of: object[]) => {
    const funnel = startFunnel(FunnelBody.parse({ steps: of, window }));
    for (const event of events) funnel.add(event);
    return funnel.result().steps.map(({ people }) => people);
  };
  const [visit, buy] = [{ page: '/' }, { event: 'purchase' }];
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, '$pageview')], visit, visit), [1, 0]);
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, '$pageview'), reportEvent('a', 1, '$pageview')], visit, visit), [1, 1]);
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, 'purchase'), reportEvent('a', 1, '$pageview')], visit, buy), [1, 0]);
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, '$pageview'), reportEvent('a', 60, 'purchase')], visit, buy), [1, 1]);
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, '$pageview'), reportEvent('a', 61, 'purchase')], visit, buy), [1, 0]);
  assert.deepEqual(run('PT1H', [reportEvent('a', 0, '$pageview'), reportEvent('b', 1, 'purchase')], visit, buy), [1, 0]);
  assert.deepEqual([medianOf([]), medianOf([3]), medianOf([1, 10]), medianOf([10, 1, 2])], [null, 3, 5.5, 2]);
});

test('in a strict funnel, another action between two steps ends the attempt; an identification does not', () => {
  const run = (order: string, names: string[]) => {
    const funnel = startFunnel(FunnelBody.parse({ steps: [{ page: '/' }, { event: 'signup' }, { event: 'purchase' }], order }));
    names.forEach((name, minute) => {
      funnel.add(reportEvent('a', minute, name));
    });
    return funnel.result().steps.map(({ people }) => people);
  };
  const detour = ['$pageview', 'signup', 'watch', 'purchase'];
  assert.deepEqual(
    [run('ordered', detour), run('strict', detour)],
    [
      [1, 1, 1],
      [1, 1, 0],
    ],
  );
  assert.deepEqual(run('strict', ['$pageview', '$engagement', 'signup', '$identify', 'purchase']), [1, 1, 1]);
  assert.deepEqual(run('strict', [...detour, '$pageview', 'signup', 'purchase']), [1, 1, 1]);
});

test('more than 50,000 values of a breakdown are rejected', () => {
  const body = FunnelBody.parse({ steps: [{ page: '/' }, { event: 'signup' }], by: 'properties.number' });
  const add = (values: number) => {
    const funnel = startFunnel(body);
    for (let number = 0; number < values; number += 1) funnel.add(reportEvent(`${number}`, 0, '$pageview', { properties: { number } }));
    return funnel.result().breakdown?.truncated;
  };
  assert.equal(add(50_000), true);
  assert.throws(
    () => add(50_001),
    (error) => error instanceof ApiError && error.details?.[0]?.code === 'too_many_values',
  );
});
