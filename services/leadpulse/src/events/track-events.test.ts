import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

const pageview = { event: '$pageview', visitor_id: 'v1', context: { page: { url: 'https://example.com/pricing' } } };

test('POST /v2/leadpulse/track', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const events = parts.mongo.db.collection('events');
  const stored = (accountId: AccountId) => events.find({ account_id: accountId }).sort({ _id: 1 }).toArray();
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, 'x'.repeat(1_900)]));

  await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:write', url: () => '/v2/leadpulse/track', body: pageview });

  await t.test('accepts the smallest request and responds once the event is stored', async () => {
    const account = testClient(app);
    const response = await account.post('/v2/leadpulse/track', pageview);
    assert.equal(response.status, 202, response.text);
    const { results, ...counts } = response.data;
    assert.deepEqual(counts, { accepted: 1, duplicates: 0, rejected: 0 });
    assert.match(results[0].id, /^activity_/);
    const [row, ...more] = await stored(account.accountId);
    assert.equal(more.length, 0);
    assert.equal(row?._id, results[0].id);
    assert.equal(row?.page.path, '/pricing');
    assert.equal(row?.pending, true);
  });

  await t.test('accepts an event with any one identifier', async () => {
    const account = testClient(app);
    for (const identity of [
      { visitor_id: 'v1' },
      { contact_id: 'contact_01h455vb4pex5vsknk084sn02q' },
      { email: ' Ada@Example.com ' },
      { external_id: 'crm-1' },
    ])
      assert.equal((await account.post('/v2/leadpulse/track', { event: 'seen', ...identity })).status, 202);
    const keys = (await stored(account.accountId)).map(({ visitor_key }) => visitor_key);
    assert.deepEqual(keys, ['visitor:v1', 'contact:contact_01h455vb4pex5vsknk084sn02q', 'email:ada@example.com', 'external:crm-1']);
  });

  await t.test('rejects events whose address is excluded in the settings, and accepts those without one', async () => {
    const account = testClient(app);
    await account.put('/v2/leadpulse/settings', { excluded_networks: ['198.51.100.0/24'] });
    const from = (ip: string) => ({ ...pageview, context: { ...pageview.context, ip } });
    const { data } = await account.post('/v2/leadpulse/track', { events: [from('198.51.100.7'), from('203.0.113.7'), pageview] });
    assert.deepEqual(
      data.results.map(({ status, code }: { status: string; code?: string }) => code ?? status),
      ['excluded_network', 'accepted', 'accepted'],
    );
    const { status, error } = await account.post('/v2/leadpulse/track', from('198.51.100.7'));
    assert.deepEqual([status, error.details[0].code, error.details[0].path], [400, 'excluded_network', '/context/ip']);
  });

  await t.test('rejects a single invalid event with 400, naming the field', async () => {
    const account = testClient(app);
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`p${index}`, index]));
    for (const [body, path] of [
      [{}, '/event'],
      [{ event: 'x' }, '/visitor_id'],
      [{ ...pageview, event: '' }, '/event'],
      [{ ...pageview, event: 'x'.repeat(101) }, '/event'],
      [{ ...pageview, event: '$mine' }, '/event'],
      [{ ...pageview, event: 'a\nb' }, '/event'],
      [{ ...pageview, properties: { n: 2 ** 53 } }, '/properties/n'],
      [{ ...pageview, properties: { text: 'a\0' } }, '/properties/text'],
      [{ ...pageview, visitor_id: 'Undefined' }, '/visitor_id'],
      [{ event: 'x', external_id: 'guest' }, '/external_id'],
      [{ event: 'x', contact_id: 'ada' }, '/contact_id'],
      [{ ...pageview, timestamp: new Date(Date.now() + 25 * 3_600_000).toISOString() }, '/timestamp'],
      [{ ...pageview, timestamp: ago(401 * 86_400_000) }, '/timestamp'],
      [{ ...pageview, timestamp: 'yesterday' }, '/timestamp'],
      [{ ...pageview, properties: many }, '/properties'],
      [{ ...pageview, properties: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, '/properties'],
      [{ ...pageview, value: { amount: 0.00001, currency: 'EUR' } }, '/value/amount'],
      [{ ...pageview, context: { ip: '10.0.0' } }, '/context/ip'],
      [{ ...pageview, events: [pageview] }, '/event'],
      [{ events: [] }, '/events'],
      [{ events: Array(1_001).fill(pageview) }, '/events'],
    ] as const) {
      const response = await account.post('/v2/leadpulse/track', body);
      assert.deepEqual(
        [response.status, response.error?.code, response.error?.details[0].path],
        [400, 'VALIDATION_ERROR', path],
        response.text,
      );
    }
    const large = await account.post('/v2/leadpulse/track', {
      ...pageview,
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 'x'.repeat(1_000)])),
    });
    assert.deepEqual([large.status, large.error.details[0].code], [400, 'too_big']);
    assert.equal(
      (await account.post('/v2/leadpulse/track', { events: [{ ...pageview, properties: { a: 'x'.repeat(1_100_000) } }] })).status,
      413,
    );
    assert.deepEqual(await stored(account.accountId), []);
  });

  await t.test('returns a result for each event of a batch, and rejects only the invalid ones', async () => {
    const account = testClient(app);
    const first = await account.post('/v2/leadpulse/track', { ...pageview, message_id: 'm1' });
    const response = await account.post('/v2/leadpulse/track', {
      events: [
        { ...pageview, message_id: 'm2' },
        { ...pageview, message_id: 'm1' },
        { ...pageview, event: '$mine' },
        'nonsense',
        { event: 'x' },
        { ...pageview, message_id: 'm2' },
        { ...pageview, unheard_of: 1 },
        pageview,
        { ...pageview, properties: { n: -(2 ** 53) } },
        { ...pageview, properties: { text: 'a\0' } },
        { ...pageview, properties: { _bsontype: 'Long' } },
      ],
    });
    assert.equal(response.status, 202, response.text);
    const { results, ...counts } = response.data;
    assert.deepEqual(counts, { accepted: 2, duplicates: 2, rejected: 7 });
    assert.deepEqual(
      results.map(({ index, status, code }: { index: number; status: string; code?: string }) => [index, status, code]),
      [
        [0, 'accepted', undefined],
        [1, 'duplicate', undefined],
        [2, 'rejected', 'reserved_name'],
        [3, 'rejected', 'invalid_type'],
        [4, 'rejected', 'identity_required'],
        [5, 'duplicate', undefined],
        [6, 'rejected', 'unrecognized_keys'],
        [7, 'accepted', undefined],
        [8, 'rejected', 'unsafe_number'],
        [9, 'rejected', 'invalid_format'],
        [10, 'rejected', 'invalid_format'],
      ],
    );
    assert.equal(results[1].id, first.data.results[0].id, 'a duplicate returns the ID of the stored event');
    assert.match(results[6].message, /unheard_of/);
    assert.equal((await stored(account.accountId)).length, 3);
  });

  await t.test('returns the same error for an invalid event alone and in a batch', async () => {
    const account = testClient(app);
    for (const [wrong, code] of [
      [{ visitor_id: 'v' }, 'required'],
      [{ ...pageview, event: 5 }, 'invalid_type'],
      [{ ...pageview, event: '$mine' }, 'reserved_name'],
      [{ ...pageview, event: 'x'.repeat(101) }, 'too_big'],
      [{ ...pageview, event: 'half \ud83d' }, 'invalid_format'],
      [{ ...pageview, visitor_id: 'guest' }, 'blocked_identifier'],
      [{ event: 'x' }, 'identity_required'],
      [{ ...pageview, unheard_of: 1 }, 'unrecognized_keys'],
      [{ ...pageview, context: { page: { hash: '#' } } }, 'unrecognized_keys'],
      [{ ...pageview, properties: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, 'invalid_properties'],
      [{ ...pageview, properties: { a: 'x'.repeat(2_000), b: 'é'.repeat(1_900), ...many(20) } }, 'too_big'],
      [{ ...pageview, timestamp: 'yesterday' }, 'invalid_format'],
      [{ ...pageview, timestamp: '9999-12-31T23:59:59-23:59' }, 'out_of_range'],
      [{ ...pageview, timestamp: ago(401 * 86_400_000) }, 'timestamp_out_of_range'],
    ] as const) {
      const alone = await account.post('/v2/leadpulse/track', wrong);
      assert.equal(alone.status, 400, alone.text);
      const inBatch = (await account.post('/v2/leadpulse/track', { events: [wrong] })).data.results[0];
      const { code: ownCode } = alone.error.details[0];
      assert.deepEqual([ownCode, inBatch.code, inBatch.message], [code, code, alone.error.message]);
    }
  });

  await t.test(
    'rejects unpaired surrogates in IDs, where different values would become equal, and replaces them in free text',
    async () => {
      const account = testClient(app);
      const halves = ['a\ud83d', 'a\ud83e', '\udc00a'];
      for (const half of halves) {
        for (const member of ['message_id', 'visitor_id', 'external_id']) {
          const { status, error } = await account.post('/v2/leadpulse/track', { ...pageview, [member]: half });
          assert.deepEqual([status, error?.details[0].path, error?.details[0].code], [400, `/${member}`, 'invalid_format']);
        }
      }
      const page = { url: 'https://example.com/?q=\ud83d', title: 'cut \ud83d', referrer: 'https://example.org/\udc00' };
      const cut = { ...pageview, properties: { note: { text: 'cut \ud83d' } }, context: { page } };
      assert.equal((await account.post('/v2/leadpulse/track', cut)).status, 202);
      assert.equal((await account.post('/v2/leadpulse/track', { events: [cut] })).data.accepted, 1);
      for (const row of await stored(account.accountId)) {
        const { title, url, referrer } = row.page;
        assert.deepEqual([title, url, referrer], ['cut \ufffd', 'https://example.com/?q=\ufffd', 'https://example.org/\ufffd']);
        assert.deepEqual(row.properties, [{ k: 'note.text', v: 'cut \ufffd' }]);
      }
    },
  );

  await t.test('stores an event once for any number of concurrent requests; message IDs are per account', async () => {
    const account = testClient(app);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => account.post('/v2/leadpulse/track', { ...pageview, message_id: 'm1' })),
    );
    assert.equal(responses.filter(({ data }) => data.accepted === 1).length, 1);
    assert.equal(responses.filter(({ data }) => data.duplicates === 1).length, 19);
    assert.equal(new Set(responses.map(({ data }) => data.results[0].id)).size, 1);
    assert.equal((await testClient(app).post('/v2/leadpulse/track', { ...pageview, message_id: 'm1' })).data.accepted, 1);
  });

  await t.test('stores no full IP address, flags bots, parses the device and corrects the clock', async () => {
    const account = testClient(app);
    const iphone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
    const hourAhead = (ms: number) => new Date(Date.now() + 3_600_000 + ms).toISOString();
    await account.post('/v2/leadpulse/track', {
      events: [
        { ...pageview, context: { ip: '203.0.113.77', user_agent: iphone } },
        { ...pageview, context: { ip: '2001:db8:1234:5678::9', user_agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' } },
        { ...pageview, context: { ip: '::ffff:203.0.113.77' }, timestamp: hourAhead(-60_000), sent_at: hourAhead(0) },
        { ...pageview, properties: { cart: { items: [{ sku: 'a' }], 'to.tal': 3 }, $plan: null } },
      ],
    });
    const [phone, machine, skewed, nested] = await stored(account.accountId);
    assert.deepEqual(
      [phone?.context.network, machine?.context.network, skewed?.context.network],
      ['203.0.113.0', '2001:db8:1234::', '203.0.113.0'],
    );
    assert.deepEqual([phone?.device, phone?.browser, phone?.os, phone?.bot], ['mobile', 'Safari', 'iOS', false]);
    assert.equal(machine?.bot, true);
    assert.ok(Math.abs(skewed?.time.getTime() - (Date.now() - 60_000)) < 600_000, 'a minute ago by the server clock, not in an hour');
    assert.deepEqual(nested?.properties, [
      { k: 'cart.items.0.sku', v: 'a' },
      { k: 'cart.to.tal', v: 3 },
      { k: '$plan', v: null },
    ]);
  });

  await t.test('returns the first response to a retry, even if the first request crashed before its response was stored', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 'k1' };
    const body = { events: [pageview, { ...pageview, message_id: 'm1' }, 'nonsense'] };
    const first = await account.post('/v2/leadpulse/track', body, retry);
    const second = await account.post('/v2/leadpulse/track', body, retry);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.deepEqual(second.data, first.data);
    await parts.mongo.db.collection('idempotency_claims').deleteMany({ account_id: account.accountId });
    const third = await account.post('/v2/leadpulse/track', body, retry);
    assert.deepEqual(third.data, first.data);
    assert.equal((await stored(account.accountId)).length, 2);
    assert.equal((await account.post('/v2/leadpulse/track', pageview, retry)).status, 422);
  });
});
