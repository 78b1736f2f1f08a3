import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '@mp/service-kit/create-server';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { lastClockChange } from '../../test/clock-change.ts';
import { testCounting } from '../../test/counting.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { getAnalytics } from './get-analytics.ts';

const day = 86_400_000;

test('GET /v2/leadpulse/analytics', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/analytics' });

  const read = async (account: ReturnType<typeof testClient>, query = '') => {
    const response = await account.get(`/v2/leadpulse/analytics${query && `?${query}`}`);
    assert.equal(response.status, 200, response.text);
    return response.data;
  };
  const today = new Date(Math.floor(Date.now() / day) * day);
  const on = (days: number, time: string) => `${new Date(today.getTime() - days * day).toISOString().slice(0, 10)}T${time}Z`;
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

  await t.test('returns totals, series and breakdowns of tracked events', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [
      view('a', on(3, '10:00:00'), '/', {
        user_agent: firefox,
        country: 'DE',
        campaign: { source: 'google', medium: 'cpc', name: 'spring' },
      }),
      view('a', on(3, '10:05:00'), '/pricing', { user_agent: firefox }),
      { ...view('a', on(3, '10:06:00')), event: 'order_placed', value: { amount: 10.1, currency: 'EUR' } },
      view('a', on(2, '10:00:00'), '/'),
      view('b', on(2, '11:00:00'), '/pricing'),
      { event: 'order_placed', visitor_id: 'b', timestamp: on(2, '11:01:00'), value: { amount: 5, currency: 'USD' } },
      { event: 'order_placed', visitor_id: 'b', timestamp: on(2, '11:02:00'), value: { amount: 0.2, currency: 'EUR' } },
      view('robot', on(2, '11:00:00'), '/', { user_agent: 'Googlebot/2.1' }),
    ]);
    const { totals, series, breakdown, as_of } = await read(account);
    assert.deepEqual(totals, {
      visitors: 2,
      visitors_error: 0,
      sessions: 3,
      pageviews: 4,
      events: 7,
      bounce_rate: { value: 0.333333, numerator: 1, denominator: 3 },
      average_session_seconds: { value: 160, numerator: 480, denominator: 3 },
      pageviews_per_session: { value: 1.333333, numerator: 4, denominator: 3 },
      revenue: [
        { amount: 10.3, currency: 'EUR' },
        { amount: 5, currency: 'USD' },
      ],
    });
    assert.equal(series.length, 30);
    assert.deepEqual(
      series.slice(-4).map(({ visitors, sessions, events }: Record<string, number>) => [visitors, sessions, events]),
      [
        [1, 1, 3],
        [2, 2, 4],
        [0, 0, 0],
        [0, 0, 0],
      ],
    );
    assert.equal(breakdown, null);
    assert.ok(Math.abs(Date.now() - Date.parse(as_of)) < 600_000);
    assert.equal((await read(account, 'include=bots')).totals.visitors, 3);

    const by = async (dimension: string) =>
      (await read(account, `by=${dimension}`)).breakdown.items.map(
        ({ value, visitors, sessions, pageviews, events }: Record<string, unknown>) => [value, visitors, sessions, pageviews, events],
      );
    assert.deepEqual(await by('channel'), [
      ['direct', 2, 2, 2, 4],
      ['paid_search', 1, 1, 2, 3],
    ]);
    assert.deepEqual(await by('utm_campaign'), [['spring', 1, 1, 2, 3]]);
    assert.deepEqual(await by('country'), [['DE', 1, 1, 2, 3]]);
    assert.deepEqual(await by('browser'), [['Firefox', 1, 1, 2, 3]]);
    assert.deepEqual(await by('page'), [
      ['/', 1, 2, 2, 3],
      ['/pricing', 2, 1, 2, 2],
    ]);
    assert.deepEqual(await by('event'), [
      ['$pageview', 2, null, 4, 4],
      ['order_placed', 2, null, 0, 3],
    ]);
    const orders = await read(account, 'event=order_placed');
    assert.deepEqual([orders.totals.events, orders.totals.sessions, orders.totals.revenue.length], [3, null, 2]);
    assert.deepEqual(
      [orders.totals.visitors, orders.series.at(-4).visitors, orders.series.at(-3).visitors, orders.series.at(-1).visitors],
      [2, 1, 1, 0],
    );
    const { totals: others } = await read(testClient(app));
    await trackAndCount(parts, account, [{ event: 'cafe\u0301 ouvert', visitor_id: 'a', timestamp: on(2, '10:01:00') }]);
    for (const spelled of ['caf\u00e9 ouvert', 'cafe\u0301 ouvert', ' caf\u00e9 ouvert '])
      assert.equal((await read(account, `event=${encodeURIComponent(spelled)}`)).totals.events, 1, 'in any spelling of the name');
    assert.deepEqual([others.visitors, others.events, others.bounce_rate.value], [0, 0, null]);
  });

  await t.test('a session whose first event has no page has the source of its first page view, in any counting order', async () => {
    const page = { url: 'https://example.com/?utm_source=spring', referrer: 'https://www.google.com/' };
    const [first, second] = [
      { event: 'order_placed', visitor_id: 'a', timestamp: on(3, '10:00:00') },
      { event: '$pageview', visitor_id: 'a', timestamp: on(3, '10:01:00'), context: { page } },
    ];
    for (const events of [
      [first, second],
      [second, first],
    ]) {
      const account = testClient(app);
      for (const event of events) await trackAndCount(parts, account, [event]);
      const { items } = (await read(account, 'by=source')).breakdown;
      assert.deepEqual(
        items.map(({ value, sessions, events: count }: Record<string, unknown>) => [value, sessions, count]),
        [['spring', 1, 2]],
      );
      const [visitor] = (await account.get('/v2/leadpulse/visitors')).data.items;
      assert.equal(visitor.first_touch.source, 'spring');
    }
  });

  await t.test('visitors by page and by event are those of a query', async () => {
    const account = testClient(app);
    const paths = ['/', '/pricing', '/docs'];
    await trackAndCount(
      parts,
      account,
      Array.from({ length: 40 }, (_, n) => ({
        ...view(`v${n % 7}`, on(2 + (n % 3), `${10 + (n % 11)}:00:00`), paths[n % 3], n % 5 === 0 ? { user_agent: 'Googlebot/2.1' } : {}),
        ...(n % 4 === 0 && { event: 'order_placed' }),
      })),
    );
    for (const bots of [false, true])
      for (const by of ['page', 'event']) {
        const body = { metrics: ['visitors'], dimensions: [by], include_bots: bots };
        const { data: query } = await account.post('/v2/leadpulse/query', body);
        const { items } = (await read(account, `by=${by}${bots ? '&include=bots' : ''}`)).breakdown;
        assert.deepEqual(
          new Map(items.map(({ value, visitors }: Record<string, unknown>) => [value, visitors])),
          new Map(query.rows.map(({ values, metrics }: { values: string[]; metrics: object }) => [values[0], Object.values(metrics)[0]])),
        );
      }
    const counting = testCounting(parts);
    const limited = createServer(parts);
    t.after(() => limited.close());
    getAnalytics(limited, { ...counting, events: { ...counting.events, presences: async () => undefined } });
    const many = testClient(limited, { account_id: account.accountId });
    assert.equal((await read(many, 'by=page')).breakdown.items[0].visitors, null, 'more events than are read at once');
    assert.equal((await read(many, 'event=order_placed')).totals.visitors, null);
  });

  await t.test('splits days at midnight of the time zone and counts a visitor once per day', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [
      view('a', on(5, '18:14:00')),
      view('a', on(5, '18:16:00')),
      view('b', on(5, '18:20:00')),
      view('b', on(4, '01:00:00')),
    ]);
    const counts = async (timezone: string) => {
      const { series, totals } = await read(
        account,
        `from=${on(7, '00:00:00').slice(0, 10)}&to=${on(3, '00:00:00').slice(0, 10)}&timezone=${timezone}`,
      );
      assert.equal(totals.visitors, 2);
      return series.map(({ visitors, events }: Record<string, number>) => [visitors, events]);
    };
    assert.deepEqual(await counts('UTC'), [
      [0, 0],
      [0, 0],
      [2, 3],
      [1, 1],
      [0, 0],
    ]);
    assert.deepEqual(await counts('Asia/Kathmandu'), [
      [0, 0],
      [0, 0],
      [1, 1],
      [2, 3],
      [0, 0],
    ]);
  });

  await t.test('a day on which clocks change has 23 or 25 hours', async () => {
    const account = testClient(app);
    const { date, hours } = lastClockChange();
    const midnight = Date.parse(`${date}T00:00:00Z`) - (hours === 25 ? 2 : 1) * 3_600_000;
    const at = (ms: number) => new Date(midnight + ms).toISOString();
    await trackAndCount(parts, account, [
      view('a', at(-60_000)),
      view('b', at(0)),
      view('c', at(hours * 3_600_000 - 60_000)),
      view('d', at(hours * 3_600_000)),
    ]);
    const { series, totals } = await read(account, `from=${date}&to=${date}&timezone=Europe/Berlin&interval=hour`);
    assert.equal(series.length, hours);
    assert.deepEqual([totals.events, series[0].events, series[hours - 1].events], [2, 1, 1]);
    const whole = await read(account, `from=${date}&to=${date}&timezone=Europe/Berlin&by=channel`);
    assert.deepEqual([whole.totals.visitors, whole.breakdown.items[0].visitors, whole.breakdown.items[0].sessions], [2, 2, 2]);
  });

  await t.test('as_of does not include events that are not counted yet', async () => {
    const account = testClient(app);
    const before = Date.now();
    await account.post('/v2/leadpulse/track', view('a', new Date().toISOString()));
    const waiting = await read(account);
    assert.equal(waiting.totals.events, 0);
    assert.ok(Date.parse(waiting.as_of) >= before - 1 && Date.parse(waiting.as_of) <= Date.now());
  });

  await t.test('a date outside the years that can be planned gets a message with the range', async () => {
    for (const from of ['9999-12-31', '9999-12-31T00:00:00Z', '1969-12-31']) {
      const [detail] = (await testClient(app).get(`/v2/leadpulse/analytics?from=${from}`)).error.details;
      assert.deepEqual([detail.path, detail.code], ['/query/from', 'out_of_range']);
      assert.match(detail.message, /from 1970-01-01 to 2199-12-31/);
    }
  });

  await t.test('rejects invalid ranges, time zones and combinations', async () => {
    for (const query of [
      'timezone=Mars/Olympus',
      'from=2026-11-02&to=2026-11-01',
      'from=2020-01-01',
      'interval=minute',
      'by=mood',
      'by=page&event=x',
      'from=yesterday',
      'compare=century',
      'filter=country',
      'filter=%7B%22dimension%22%3A%22shoes%22%7D',
    ]) {
      const response = await testClient(app).get(`/v2/leadpulse/analytics?${query}`);
      assert.deepEqual([query, response.status, response.error?.code], [query, 400, 'VALIDATION_ERROR']);
    }
  });
});

test('beyond its bound of sessions, a breakdown estimates visitors within the reported error; everything else stays exact', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const bounded = createServer(parts);
  t.after(() => bounded.close());
  getAnalytics(bounded, testCounting(parts), { exact: 200, sampled: 200 });
  const reader = testClient(bounded, { account_id: account.accountId });
  const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const sources = { spring: 450, summer: 300 };
  for (const [source, visitors] of Object.entries(sources)) {
    const events = Array.from({ length: visitors }, (_, n) =>
      view(`${source}_${n}`, `${day}T10:00:00Z`, '/', { campaign: { source, medium: 'cpc', name: source } }),
    );
    for (let from = 0; from < events.length; from += 50) await trackAndCount(parts, account, events.slice(from, from + 50));
  }
  for (const by of ['source', 'utm_campaign', 'channel']) {
    const { data, status, text } = await reader.get(`/v2/leadpulse/analytics?by=${by}&from=${day}&to=${day}`);
    assert.equal(status, 200, text);
    assert.deepEqual([data.totals.visitors, data.totals.visitors_error, data.totals.sessions], [750, 0, 750]);
    const expected = by === 'channel' ? [['paid_other', 750]] : Object.entries(sources);
    assert.deepEqual(
      data.breakdown.items.map(({ value, sessions }: Record<string, unknown>) => [value, sessions]),
      expected,
      by,
    );
    for (const { value, visitors, visitors_error, sessions } of data.breakdown.items) {
      assert.ok(visitors_error > 0 && visitors_error < 0.25, `${by} ${value}: error ${visitors_error}`);
      assert.ok(Math.abs(visitors - sessions) < 4 * visitors_error * sessions, `${by} ${value}: ${visitors} of ${sessions}`);
    }
  }
});
