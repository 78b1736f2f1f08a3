import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { lastClockChange } from '../../test/clock-change.ts';
import { trackAndCount } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

const body = { name: 'Orders', match: { event: 'order', where: { 'properties.plan': 'pro' } }, value: { amount: 2.5, currency: 'EUR' } };

const anyEvent = fc.record({
  visitor: fc.constantFrom('a', 'b', 'c'),
  minute: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 5 * 1_440 - 1 })),
  event: fc.constantFrom('$pageview', 'order'),
  source: fc.constantFrom('google', 'newsletter', null),
  plan: fc.constantFrom('pro', 'pro', 'free'),
  amount: fc.constantFrom(null, 10, 7.25),
  currency: fc.constantFrom('EUR', 'USD'),
  country: fc.constantFrom('DE', 'FR', null),
});
type Drawn = typeof anyEvent extends fc.Arbitrary<infer One> ? One : never;
type Placed = Drawn & { session: string; last: string; first: string };

/** The events with their session, its source, and the source of the visitor's first session, from the events alone. */
function placed(events: readonly Drawn[]): Placed[] {
  return [...Map.groupBy(events, ({ visitor }) => visitor)].flatMap(([visitor, own]) => {
    let session = 0;
    const sources: string[] = [];
    const sorted = own.toSorted((a, b) => a.minute - b.minute);
    const inSessions = sorted.map((event, index) => {
      if (index > 0 && event.minute - (sorted[index - 1]?.minute ?? 0) >= 30) session += 1;
      sources[session] ??= event.source ?? 'direct';
      return { event, session };
    });
    return inSessions.map(({ event, session: of }) => ({
      ...event,
      session: `${visitor} ${of}`,
      last: sources[of] ?? '',
      first: sources[0] ?? '',
    }));
  });
}

function expected(events: readonly Placed[]) {
  const converted = events.filter(({ event, plan }) => event === 'order' && plan === 'pro');
  const share = (of: (event: Placed) => string) => [new Set(converted.map(of)).size, new Set(events.map(of)).size];
  const sums = new Map<string, number>();
  for (const { amount, currency } of converted) {
    const [units, in_] = amount === null ? [2.5, 'EUR'] : [amount, currency];
    sums.set(in_, (sums.get(in_) ?? 0) + units);
  }
  const revenue = [...sums].sort().map(([currency, amount]) => ({ amount, currency }));
  return { conversions: converted.length, visitors: share(({ visitor }) => visitor), sessions: share(({ session }) => session), revenue };
}

type Found = { conversions: number; visitors: Parts; sessions: Parts; revenue: object[] };
type Parts = { numerator: number; denominator: number };
const shown = ({ conversions, visitors, sessions, revenue }: Found) => ({
  conversions,
  visitors: [visitors.numerator, visitors.denominator],
  sessions: [sessions.numerator, sessions.denominator],
  revenue,
});

/** The dimensions of a report, as they follow from the events alone. */
const dimensions: Record<string, (event: Placed) => string | null> = {
  source: ({ last }) => last,
  country: ({ country }) => country,
  event: ({ event }) => event,
  'properties.plan': ({ plan }) => plan,
};

test('/v2/leadpulse/goals', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const create = async (client: ReturnType<typeof testClient>) =>
    `/v2/leadpulse/goals/${(await client.post('/v2/leadpulse/goals', body)).data.id}`;

  await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:write', url: () => '/v2/leadpulse/goals', body });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/goals' });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: create });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'leadpulse:write', url: create, body: { name: 'Orders' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'leadpulse:write', url: create });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'leadpulse:read',
    url: async (client) => `${await create(client)}/report`,
    body: { by: 'source' },
  });

  await t.test('a goal from GET can be edited and put back; a retry creates one goal; a deleted goal is gone', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 'k1' };
    const { data: goal, status } = await account.post('/v2/leadpulse/goals', body, retry);
    assert.deepEqual([status, goal.match, goal.value], [201, body.match, body.value]);
    assert.deepEqual((await account.post('/v2/leadpulse/goals', body, retry)).data, goal);
    const url = `/v2/leadpulse/goals/${goal.id}`;
    const put = await account.put(url, { ...goal, value: null, match: { page: '/thanks' } }, { 'if-match': '"1"' });
    assert.deepEqual([put.data.revision, put.data.value, put.data.match], [2, null, { page: '/thanks' }]);
    assert.equal((await account.put(url, goal, { 'if-match': '"1"' })).status, 412);
    assert.equal((await account.put(url, { revision: 7 })).error.details[0].code, 'read_only');
    assert.deepEqual((await account.get('/v2/leadpulse/goals')).data.items, [put.data]);
    assert.equal((await account.delete(url)).status, 200);
    const { error } = await account.post(`${await create(account)}/report`, { by: 'country', attribution: 'first' });
    assert.equal(error.details[0].path, '/by');
    assert.equal((await account.post(`${url}/report`, {})).status, 404);
    assert.equal((await account.post('/v2/leadpulse/goals', { name: 'None', match: {} })).error.details[0].path, '/match');
  });

  await t.test(
    'conversions, rates, revenue by currency, any dimension, first and last touch, and filtered ones equal a recount of the events',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyEvent, { minLength: 1, maxLength: 40 }),
          fc.constantFrom('first', ...Object.keys(dimensions)),
          fc.constantFrom(
            DateTime.utc().startOf('day').minus({ days: 5 }),
            DateTime.fromISO(lastClockChange().date, { zone: 'Europe/Berlin' }).minus({ days: 1 }),
          ),
          async (events, chosen, start) => {
            const [by, attribution] = chosen === 'first' ? ['source', 'first'] : [chosen, 'last'];
            const account = testClient(app);
            const bodies = events.map(({ visitor, minute, event, source, plan, amount, currency, country }, index) => ({
              ...{ event, visitor_id: visitor, message_id: `m${String(index).padStart(3, '0')}`, properties: { plan } },
              timestamp: start.plus({ minutes: minute }).toISO(),
              context: { page: { url: 'https://example.com/' }, campaign: source === null ? null : { source }, country },
              value: amount === null ? null : { amount, currency },
            }));
            await trackAndCount(parts, account, bodies.toReversed());
            const url = await create(account);
            const [first, end] = [start.plus({ days: 2 }), start.plus({ days: 5 })];
            const range = { from: first.toISODate(), to: end.minus({ days: 1 }).toISODate(), timezone: start.zoneName };
            const { data } = await account.post(`${url}/report`, { ...range, by, attribution });
            const minuteOf = (at: DateTime) => at.diff(start, 'minutes').minutes;
            const within = placed(events).filter(({ minute }) => minute >= minuteOf(first) && minute < minuteOf(end));
            assert.deepEqual(shown(data.totals), expected(within));
            const filter = { dimension: 'event', op: 'eq', value: 'order' };
            const { data: filtered } = await account.post(`${url}/report`, { ...range, filter });
            assert.deepEqual(shown(filtered.totals), expected(within.filter(({ event }) => event === 'order')));
            const groups = Map.groupBy(within, (event) => (chosen === 'first' ? event.first : (dimensions[chosen]?.(event) ?? null)));
            assert.deepEqual(
              new Map(data.breakdown.items.map((item: Found & { value: string | null }) => [item.value, shown(item)])),
              new Map([...groups].map(([value, own]) => [value, expected(own)])),
            );
          },
        ),
        { numRuns: 15 },
      );
    },
  );
});
