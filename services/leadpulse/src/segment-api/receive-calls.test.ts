import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { basic, inBrowser, origin, startSegment } from '../../test/start-segment.ts';

test("Segment's HTTP interface", async (t) => {
  const { parts, app, keyOf, stored, identified, callsOf, siteOf, send } = await startSegment(t);

  await t.test('a call is stored before its 200, by its name and its initial, with the key as user name or in the body', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId);
    const site = await siteOf(account);
    const order = { userId: 'u1', event: 'Order Completed', properties: { revenue: '39.95', currency: 'eur', products: [{ sku: 'a' }] } };
    for (const [path, body, headers] of [
      ['track', order, basic(key)],
      ['t', { ...order, writeKey: key }, {}],
      ['t', { ...order, anonymousId: 'a1', writeKey: site.publishable_key }, inBrowser],
      ['t', { ...order, anonymousId: 'a1', writeKey: site.publishable_key }, { ...inBrowser, ...basic(site.publishable_key) }],
      ['batch', gzipSync(JSON.stringify({ batch: [{ type: 'track', ...order }], writeKey: key })), { 'content-encoding': 'gzip' }],
    ] as const) {
      const { status, body: response } = await send(path, body, headers);
      assert.deepEqual([status, response], [200, { success: true }], path);
    }
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ name, value, claims, visitor_id }) => [name, value, claims, visitor_id]),
      [
        ...Array(2).fill(['Order Completed', { units: 399_500, currency: 'EUR' }, ['external:u1'], null]),
        ...Array(2).fill(['Order Completed', { units: 399_500, currency: 'EUR' }, [], 'a1']),
        ['Order Completed', { units: 399_500, currency: 'EUR' }, ['external:u1'], null],
      ],
    );
    assert.deepEqual(rows[0]?.properties[2], { k: 'products.0.sku', v: 'a' });
  });

  await t.test('every type of call becomes an event; page calls are page views', async () => {
    const account = testClient(app);
    const url = 'https://shop.example.com/pricing?utm_source=ads';
    const batch = [
      { type: 'page', name: 'Pricing', properties: { url, title: 'Prices', plan: 'pro' }, context: { campaign: { source: 'mail' } } },
      { type: 'screen', name: 'Home', properties: { tab: 2 } },
      { type: 'group', groupId: 'acme', traits: { name: 'Acme', employees: 12 } },
      { type: 'alias', previousId: 'anon-1', userId: 'u1' },
      { type: 'track', event: 'Checkout Started', properties: { revenue: 10 } },
      { type: 'track', event: 'Order Completed', properties: { total: 20 } },
      { type: 'track', event: 'Invoice Paid', properties: { revenue: 1.23456, currency: 'GBP' } },
    ].map((call) => ({ anonymousId: 'anon-2', userId: 'u1', ...call }));
    assert.equal((await send('batch', { batch, context: { timezone: 'Europe/Berlin' } }, basic(keyOf(account.accountId)))).status, 200);
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ name, visitor_id, value }) => [name, visitor_id, value?.units ?? null, value?.currency ?? null]),
      [
        ['$pageview', 'anon-2', null, null],
        ['Screen Viewed', 'anon-2', null, null],
        ['$identify', 'anon-2', null, null],
        ['$identify', 'anon-1', null, null],
        ['Checkout Started', 'anon-2', null, null],
        ['Order Completed', 'anon-2', 200_000, 'USD'],
        ['Invoice Paid', 'anon-2', 12_346, 'GBP'],
      ],
    );
    const [view, screen, group] = rows;
    assert.deepEqual(
      [view?.page.url, view?.page.title, view?.utm.source, view?.context.timezone],
      [url, 'Prices', 'mail', 'Europe/Berlin'],
    );
    assert.deepEqual(view?.properties, [
      { k: 'plan', v: 'pro' },
      { k: 'name', v: 'Pricing' },
    ]);
    assert.deepEqual(screen?.properties, [
      { k: 'tab', v: 2 },
      { k: 'name', v: 'Home' },
    ]);
    assert.deepEqual(
      group?.properties.map(({ k }: { k: string }) => k),
      ['company.name', 'company.employees', 'company.id'],
    );
    const [published] = await eventually(async () => (await identified(account.accountId)).length > 0 && identified(account.accountId));
    assert.deepEqual(published?.fields, { company: 'Acme', attributes: { company_id: 'acme', company_employees: 12 } });
  });

  await t.test('every path takes its call, by its name and by its initial', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId);
    const call = { anonymousId: 'a1', userId: 'u1', previousId: 'a0', event: 'x' };
    const types = ['identify', 'track', 'page', 'screen', 'group', 'alias'];
    for (const path of types.flatMap((type) => [type, type.slice(0, 1)]))
      assert.equal((await send(path, call, basic(key))).status, 200, path);
    const names = (await stored(account.accountId)).map(({ name }) => name);
    const twice = ['$identify', 'x', '$pageview', 'Screen Viewed', '$identify', '$identify'].flatMap((name) => [name, name]);
    assert.deepEqual(names, twice);
  });

  await t.test('a message ID counts once, however often it is sent; a page cannot use that of the server', async () => {
    const account = testClient(app);
    const [key, site] = [keyOf(account.accountId), await siteOf(account)];
    const call = { type: 'track', event: 'Order Completed', anonymousId: 'a1', messageId: 'order-1' };
    await send('track', { ...call, writeKey: site.publishable_key }, inBrowser);
    for (const batch of [[call, call], [call]]) assert.equal((await send('batch', { batch }, basic(key))).status, 200);
    assert.equal((await stored(account.accountId)).length, 2);
    const statuses = (await callsOf(account)).map(({ status }: { status: string }) => status);
    assert.deepEqual(statuses.sort(), ['accepted', 'accepted', 'duplicate', 'duplicate']);
  });

  await t.test(
    'a wrong clock is corrected by sentAt; an invalid time becomes the time of receipt; /v1/import takes past events',
    async () => {
      const account = testClient(app);
      const key = keyOf(account.accountId);
      const years = 5 * 365 * 86_400_000;
      const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
      const call = (timestamp: unknown) => ({ type: 'track', event: 'seen', anonymousId: 'a1', timestamp });
      await send('batch', { batch: [call(ago(years + 60_000)), call('yesterday'), call({})], sentAt: ago(years) }, basic(key));
      // RudderStack's libraries name the time originalTimestamp.
      await send('track', { ...call(undefined), originalTimestamp: ago(years + 120_000), sentAt: ago(years) }, basic(key));
      await send('import', { batch: [call(ago(30 * 86_400_000)), call(ago(years))] }, basic(key));
      const rows = await stored(account.accountId);
      const seconds = rows.map(({ time }) => Math.round((Date.now() - time) / 10_000) * 10);
      assert.deepEqual(seconds, [60, 0, 0, 120, 30 * 86_400]);
      assert.deepEqual(
        rows.map(({ backfill }) => backfill),
        [false, false, false, false, true],
      );
      assert.deepEqual((await callsOf(account)).filter(({ code }: { code: string }) => code === 'timestamp_out_of_range').length, 1);
    },
  );

  await t.test(
    'responds as Segment does: 400 if the body is too large or not a JSON object, 401 for unknown keys, 429 with Retry-After',
    async () => {
      const account = testClient(app);
      const key = keyOf(account.accountId, { left: 2 });
      const big = (bytes: number) => ({ userId: 'u', event: 'x', properties: { text: 'x'.repeat(bytes) } });
      const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
      for (const [path, body, headers] of [
        ['track', '{', {}],
        ['track', '[]', {}],
        ['track', '', {}],
        ['batch', { batch: {} }, {}],
        ['batch', { batch: Array(2_501).fill({}) }, {}],
        ['track', big(33_000), {}],
        ['batch', { batch: [], text: 'x'.repeat(520_000) }, {}],
        ['batch', bomb, { 'content-encoding': 'gzip' }],
        ['batch', 'no gzip', { 'content-encoding': 'gzip' }],
        ['batch', '{}', { 'content-encoding': 'br' }],
        ['track', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, {}],
      ] as const) {
        const { status, body: response } = await send(path, body, { ...basic(key), ...headers });
        assert.deepEqual(
          [status, response.success, response.code, typeof response.message],
          [400, false, 'invalid_request', 'string'],
          path,
        );
      }
      for (const wrong of ['', 'nonsense', keyOf(account.accountId).replace(/0$/, '1')])
        assert.equal((await send('track', { userId: 'u', event: 'x' }, basic(wrong))).status, 401);
      const call = { type: 'track', userId: 'u', event: 'x' };
      assert.equal((await send('batch', { batch: [call, call] }, basic(key))).status, 200);
      const refused = await send('batch', { batch: [call] }, basic(key));
      assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'quota_exceeded', '7']);
      assert.equal((await callsOf(account))[0].code, 'quota_exceeded');
      const site = await siteOf(account, { max_events_per_day: 1 });
      for (const status of [200, 429])
        assert.equal((await send('t', { ...call, anonymousId: 'a', writeKey: site.publishable_key }, inBrowser)).status, status);
      assert.equal((await stored(account.accountId)).length, 3);
    },
  );

  await t.test('hostile calls: the valid part of each is accepted, or that call alone is dropped, and the debugger says why', async () => {
    const account = testClient(app);
    const key = keyOf(account.accountId);
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`);
    const track = (more: object) => ({ type: 'track', userId: 'u1', event: 'x', ...more });
    const batch = [
      track({ properties: deep }),
      track({
        properties: JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "$where": "1", "a.b": 2, "_bsontype": "x", "": 1}'),
      }),
      { type: 'identify', userId: 7, traits: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`t${index}`, index])) },
      track({ properties: { text: 'x'.repeat(20_000), half: '\ud800', big: 2 ** 60 } }),
      track({ properties: 'text', context: [], timestamp: 1e300, messageId: {}, integrations: 5 }),
      track({ userId: { $ne: null } }),
      track({ userId: 'null' }),
      track({ userId: undefined }),
      track({ event: '$mine' }),
      track({ event: 7 }),
      track({ event: undefined }),
      track({ properties: { text: 'x'.repeat(40_000) } }),
      { type: 'delete', userId: 'u1' },
      null,
    ];
    assert.equal((await send('batch', { batch }, basic(key))).status, 200);
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ name, claims, properties }) => [name, claims[0], properties.length]),
      [
        ['x', 'external:u1', 0],
        ['x', 'external:u1', 2],
        ['$identify', 'external:7', 64],
        ['x', 'external:u1', 0],
        ['x', 'external:u1', 0],
        ['7', 'external:u1', 0],
      ],
    );
    assert.equal(Object.getPrototypeOf({}).admin, undefined);
    const calls = await callsOf(account);
    const codes = calls.flatMap(({ code }: { code: string | null }) => code ?? []).sort();
    assert.deepEqual(codes, [
      ...[
        'blocked_identifier',
        'identity_required',
        'invalid_type',
        'invalid_type',
        'invalid_type',
        'required',
        'reserved_name',
        'too_big',
      ],
    ]);
    assert.equal(calls.filter(({ notes }: { notes: string[] }) => notes.some((note) => /left out/.test(note))).length, 4);
  });

  await t.test("analytics.js gets the settings of this server from the CDN's path, without a look-up", async () => {
    const site = await siteOf(testClient(app));
    const headers = { origin, 'x-mp-public-url': 'https://mp.example.com' };
    const response = await app.inject({ url: `/v1/projects/${site.publishable_key}/settings`, headers });
    const { apiHost, apiKey, protocol } = response.json().integrations['Segment.io'];
    assert.deepEqual([apiHost, apiKey, protocol], ['mp.example.com/v1', site.publishable_key, 'https']);
    assert.equal(response.headers['access-control-allow-origin'], '*');
    assert.equal((await app.inject({ url: `/v1/projects/${keyOf(testClient(app).accountId)}/settings`, headers })).statusCode, 404);
  });

  await t.test('the flood of one account does not delay the calls of another', async () => {
    const [flood, other] = [testClient(app), testClient(app)];
    const batch = (event: string) => Array.from({ length: 2_500 }, (_, index) => ({ type: 'track', anonymousId: `v${index}`, event }));
    const key = keyOf(flood.accountId);
    for (const event of ['first', 'second', 'last']) assert.equal((await send('batch', { batch: batch(event) }, basic(key))).status, 200);
    await send('track', { anonymousId: 'v', event: 'x' }, basic(keyOf(other.accountId)));
    const pending = (account: Client) =>
      parts.mongo.db.collection('events').countDocuments({ account_id: account.accountId, pending: true });
    await eventually(async () => (await pending(other)) === 0);
    assert.ok((await pending(flood)) > 0, 'the flood is still being counted');
    await eventually(async () => (await callsOf(flood, '?limit=1')).length === 1);
    const kept = (more: object) => parts.mongo.db.collection('segment_calls').countDocuments({ account_id: flood.accountId, ...more });
    await eventually(async () => (await kept({})) === 1_000 && (await kept({ event: 'last' })) === 1_000);
  });
});
