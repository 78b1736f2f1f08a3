import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { lastClockChange } from '../../test/clock-change.ts';
import { trackAndCount } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

const today = DateTime.utc().startOf('day');

/** The first of six days: recent ones, or those around a change to or from daylight saving time. */
const firstDays = [
  today.minus({ days: 6 }),
  DateTime.fromISO(lastClockChange().date, { zone: 'Europe/Berlin' }).minus({ days: 3 }),
  DateTime.fromISO(lastClockChange().date, { zone: 'Europe/Berlin' }).minus({ days: 2 }),
] as const;

const anyEvent = fc.record({
  visitor: fc.constantFrom('a', 'b', 'c'),
  minute: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 6 * 1_440 - 1 })),
  event: fc.constantFrom('$pageview', '$pageview', 'purchase'),
  path: fc.constantFrom('/', '/pricing', '/docs'),
  source: fc.constantFrom(null, 'google', 'newsletter'),
  country: fc.constantFrom('DE', 'FR', null),
  seats: fc.constantFrom(1, 5, null),
  amount: fc.constantFrom(null, 10.5, 3),
  currency: fc.constantFrom('EUR', 'USD'),
});
type Drawn = typeof anyEvent extends fc.Arbitrary<infer One> ? One : never;
type Fact = Drawn & { session: { id: string; source: string; entry: string | null; events: Drawn[] } };

/** Finds the session of every event, from the events alone. */
function withSessions(events: readonly Drawn[]): Fact[] {
  return [...Map.groupBy(events, ({ visitor }) => visitor)].flatMap(([visitor, own]) => {
    const sessions: Drawn[][] = [];
    for (const event of own.toSorted((a, b) => a.minute - b.minute)) {
      const last = sessions.at(-1)?.at(-1);
      if (last && event.minute - last.minute < 30) sessions.at(-1)?.push(event);
      else sessions.push([event]);
    }
    return sessions.flatMap((session, index) => {
      const entry = session.find(({ event }) => event === '$pageview')?.path ?? null;
      const known = { id: `${visitor} ${index}`, source: session[0]?.source ?? 'direct', entry, events: session };
      return session.map((event) => ({ ...event, session: known }));
    });
  });
}

/** Filters, as the API takes them and as independent conditions. */
const filters: [filter: object | undefined, is: (fact: Fact) => boolean][] = [
  [undefined, () => true],
  [{ dimension: 'country', op: 'eq', value: 'de' }, ({ country }) => country === 'DE'],
  [{ not: { dimension: 'page', op: 'starts_with', value: '/p' } }, ({ path }) => path !== '/pricing'],
  [
    {
      all: [
        { dimension: 'source', op: 'ne', value: 'direct' },
        { dimension: 'event', op: 'eq', value: 'purchase' },
      ],
    },
    ({ session, event }) => session.source !== 'direct' && event === 'purchase',
  ],
  [
    {
      any: [
        { dimension: 'properties.seats', op: 'gt', value: 2 },
        { dimension: 'country', op: 'missing' },
      ],
    },
    ({ seats, country }) => (seats ?? 0) > 2 || country === null,
  ],
  [{ dimension: 'entry_page', op: 'in', value: ['/docs', '/'] }, ({ session }) => session.entry === '/docs' || session.entry === '/'],
];

const dimensions = {
  country: ({ country }: Fact) => country,
  source: ({ session }: Fact) => session.source,
  'properties.seats': ({ seats }: Fact) => (seats === null ? null : String(seats)),
  page: ({ path }: Fact) => path,
};
type Dimension = keyof typeof dimensions;

function expected(facts: readonly Fact[]) {
  const sessions = new Map(facts.map(({ session }) => [session.id, [...session.events]]));
  const own = [...sessions.values()];
  const pageviews = facts.filter(({ event }) => event === '$pageview').length;
  const bounced = own.filter((events) => events.every(({ event }) => event === '$pageview') && events.length <= 1).length;
  const seconds = own.map((events) => ((events.at(-1)?.minute ?? 0) - (events[0]?.minute ?? 0)) * 60).reduce((sum, one) => sum + one, 0);
  const revenue = (['EUR', 'USD'] as const)
    .map((currency) => ({ amount: facts.reduce((sum, fact) => sum + (fact.currency === currency ? (fact.amount ?? 0) : 0), 0), currency }))
    .filter(({ amount }) => amount !== 0);
  return {
    visitors: new Set(facts.map(({ visitor }) => visitor)).size,
    sessions: own.length,
    pageviews,
    events: facts.length,
    bounced,
    seconds,
    revenue,
  };
}

const metrics = ['visitors', 'sessions', 'pageviews', 'events', 'bounce_rate', 'average_session_seconds', 'revenue'];
type Metrics = ReturnType<typeof JSON.parse>;
const shown = (found: Metrics) => ({
  visitors: found.visitors,
  sessions: found.sessions,
  pageviews: found.pageviews,
  events: found.events,
  bounced: found.bounce_rate.numerator,
  seconds: found.average_session_seconds.numerator,
  revenue: found.revenue,
});

test('a query equals a recount of the events, with any filter, dimensions, intervals and comparison', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);

  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { minLength: 1, maxLength: 40 }),
      fc.array(
        fc.tuple(
          fc.constantFrom(...filters),
          fc.uniqueArray(fc.constantFrom<Dimension>('country', 'source', 'properties.seats', 'page'), { maxLength: 2 }),
        ),
        {
          minLength: 3,
          maxLength: 3,
        },
      ),
      fc.constantFrom(...firstDays),
      async (events, queries, firstDay) => {
        const account = testClient(app);
        const bodies = events.map(({ visitor, minute, event, path, source, country, seats, amount, currency }) => ({
          event,
          visitor_id: visitor,
          timestamp: firstDay.plus({ minutes: minute }).toISO(),
          // The model orders events of the same minute by their position; so do message IDs.
          properties: seats === null ? {} : { seats },
          context: { page: { url: `https://example.com${path}` }, campaign: source === null ? null : { source }, country },
          value: amount === null ? null : { amount, currency },
        }));
        const marked = bodies.map((body, index) => ({ ...body, message_id: `m${String(index).padStart(3, '0')}` }));
        await trackAndCount(parts, account, marked.toReversed());
        const facts = withSessions(events);
        const timezone = firstDay.zoneName ?? 'UTC';
        const range = { from: firstDay.plus({ days: 3 }).toISODate(), to: firstDay.plus({ days: 5 }).toISODate(), timezone };
        const startOf = (day: number) => firstDay.plus({ days: day }).diff(firstDay, 'minutes').minutes;
        const [start, middle, end] = [0, startOf(3), startOf(6)];

        for (const [[filter, selects], by] of queries) {
          const body = {
            ...range,
            metrics,
            dimensions: by,
            interval: 'day',
            compare: 'previous',
            order: '-visitors',
            ...(filter && { filter }),
          };
          const { status, data, text } = await account.post('/v2/leadpulse/query', body);
          assert.equal(status, 200, text);
          const within = (from: number, to: number) => facts.filter((fact) => fact.minute >= from && fact.minute < to && selects(fact));
          const [now, before] = [within(middle, end), within(start, middle)];
          assert.deepEqual(shown(data.totals), expected(now));
          assert.deepEqual(shown(data.previous_totals), expected(before));
          for (const [index, item] of data.series.entries()) {
            assert.deepEqual(shown(item.metrics), expected(within(startOf(3 + index), startOf(4 + index))));
            assert.deepEqual(shown(item.previous), expected(within(startOf(index), startOf(index + 1))));
          }
          if (by.length === 0) {
            assert.equal(data.rows, null);
            continue;
          }
          const keyOf = (fact: Fact) => JSON.stringify(by.map((name) => dimensions[name](fact)));
          const groups = Map.groupBy(now, keyOf);
          assert.equal(data.rows.length, groups.size);
          for (const { values, metrics: found, previous } of data.rows) {
            const key = JSON.stringify(values);
            assert.deepEqual(shown(found), expected(groups.get(key) ?? []));
            assert.deepEqual(shown(previous), expected(before.filter((fact) => keyOf(fact) === key)));
          }
          const order = data.rows.map((row: Metrics) => row.metrics.visitors);
          assert.deepEqual(
            order,
            order.toSorted((a: number, b: number) => b - a),
          );
        }
        const { data: analytics } = await account.get(`/v2/leadpulse/analytics?from=${range.from}&to=${range.to}&timezone=${timezone}`);
        const { data: same } = await account.post('/v2/leadpulse/query', {
          ...range,
          metrics: ['visitors', 'pageviews', 'events', 'revenue'],
        });
        const { visitors, pageviews, events: count, revenue } = analytics.totals;
        assert.deepEqual(same.totals, { visitors, pageviews, events: count, revenue }, 'the same as analytics, which reads rollups');
      },
    ),
    { numRuns: 12 },
  );
});
