import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { isExcluded } from '../events/excluded-networks.ts';
import { defaultSettings } from './settings.ts';

const origin = 'https://shop.example.com';

test('/v2/leadpulse/settings', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const url = () => '/v2/leadpulse/settings';
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'leadpulse:write', url, body: { store_networks: true } });
  const stored = (accountId: AccountId) => parts.mongo.db.collection('events').find({ account_id: accountId }).sort({ _id: 1 }).toArray();

  await t.test('blocked properties and networks are not stored, from the API and from pages', async () => {
    const account = testClient(app);
    assert.deepEqual((await account.get(url())).data, { ...defaultSettings, revision: 0 });
    await account.put(url(), { blocked_properties: ['card', 'note'], store_networks: false });
    const changed = await account.put(url(), { excluded_networks: ['198.51.100.0/24'], retention_days: 400 });
    assert.deepEqual(changed.data, {
      blocked_properties: ['card', 'note'],
      store_networks: false,
      excluded_networks: ['198.51.100.0/24'],
      retention_days: 400,
      session_timeout_minutes: 30,
      allowed_hosts: [],
      currencies: [],
      segment_traits: defaultSettings.segment_traits,
      revision: 2,
    });

    const { data: site } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin] });
    const event = { event: 'order', properties: { card: { number: '4111' }, note: 'x', cards: 2 } };
    const send = async (address: string) => {
      const headers = { origin, 'x-forwarded-for': address };
      const response = await app.inject({
        method: 'POST',
        url: `/ingest/v1/events?key=${site.publishable_key}`,
        headers,
        payload: { events: [event] },
      });
      return response.json().data;
    };
    await account.post('/v2/leadpulse/track', { ...event, visitor_id: 'v', context: { ip: '203.0.113.7' } });
    await account.post('/v2/leadpulse/track', { events: [{ ...event, visitor_id: 'v' }] });
    assert.equal((await send('203.0.113.7')).accepted, 1);
    assert.equal((await send('198.51.100.9')).results[0].code, 'excluded_network');
    assert.equal((await account.get(`/v2/leadpulse/sites/${site.id}`)).data.excluded_events, 1);
    assert.equal(
      (await account.put(`/v2/leadpulse/sites/${site.id}`, { ...site, identity_secret: undefined, name: 'Store' })).data.excluded_events,
      1,
    );
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ properties, context }) => [properties, context.network]),
      Array(3).fill([[{ k: 'cards', v: 2 }], null]),
    );
  });

  await t.test(
    'events on pages of other hosts, and with values in other currencies, are rejected without affecting others, from API and pages',
    async () => {
      const account = testClient(app);
      const chosen = { allowed_hosts: ['Shop.example.com', '*.example.org', 'shop.example.com'], currencies: ['eur'] };
      const { data } = await account.put(url(), chosen);
      assert.deepEqual([data.allowed_hosts, data.currencies], [['shop.example.com', '*.example.org'], ['EUR']]);
      const on = (page: string) => ({ event: 'order', context: { page: { url: page } } });
      const priced = (currency: string) => ({ ...on('https://a.example.org:8080/'), value: { amount: 1, currency } });
      const events = [
        on('https://shop.example.com/'),
        on('https://evil.example/'),
        on('https://example.org/'),
        priced('EUR'),
        priced('USD'),
      ];
      const statuses = (results: { status: string; code?: string }[]) => results.map(({ status, code }) => code ?? status);
      const wanted = ['accepted', 'host_not_allowed', 'host_not_allowed', 'accepted', 'currency_not_allowed'];
      const batch = await account.post('/v2/leadpulse/track', { events: events.map((event) => ({ ...event, visitor_id: 'v' })) });
      assert.deepEqual(statuses(batch.data.results), wanted);
      const alone = await account.post('/v2/leadpulse/track', { ...priced('USD'), visitor_id: 'v' });
      assert.deepEqual(
        [alone.status, alone.error.details[0].path, alone.error.details[0].code],
        [400, '/value/currency', 'currency_not_allowed'],
      );
      const { data: site } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin] });
      const ingested = await app.inject({
        method: 'POST',
        url: `/ingest/v1/events?key=${site.publishable_key}`,
        headers: { origin },
        payload: { events },
      });
      assert.deepEqual(statuses(ingested.json().data.results), wanted);
      for (const host of ['https://example.com', 'example.com/', '*.com', '*', 'a b'])
        assert.equal((await account.put(url(), { allowed_hosts: [host] })).status, 400, host);
    },
  );

  await t.test('each change is published once for the audit log, with its author and what was changed', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 'k1' };
    for (const _ of [1, 2]) await account.call('PUT', url(), { retention_days: 800, session_timeout_minutes: 60 }, retry);
    await account.put(url(), { retention_days: 800 });
    assert.equal((await account.put(url(), { retention_days: 801 })).status, 400);
    const written = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: LeadpulseSettingsChanged.subject });
    assert.deepEqual(
      written.map(({ envelope }) => envelope.data.changes),
      [{ retention_days: { from: 400, to: 800 }, session_timeout_minutes: { from: 30, to: 60 } }],
    );
    assert.match(written[0]?.envelope.data.actor_id ?? '', /^key_/);
  });

  await t.test('sessions end after the chosen time', async () => {
    const account = testClient(app);
    await account.put(url(), { session_timeout_minutes: 60 });
    const at = (minutes: number) => new Date(Date.now() - 86_400_000 + minutes * 60_000).toISOString();
    await trackAndCount(parts, account, [view('v', at(0)), view('v', at(59)), view('v', at(119))]);
    assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.sessions, 2);
  });

  await t.test('the traits of Segment have one field each, of those that contacts have', async () => {
    const account = testClient(app);
    const segment_traits = [{ trait: 'tier', field: 'attributes.tier' }];
    assert.deepEqual((await account.put(url(), { segment_traits })).data.segment_traits, segment_traits);
    for (const wrong of [
      [...segment_traits, ...segment_traits],
      [{ trait: 'id', field: 'external_id' }],
      [{ trait: 'x', field: 'attributes.$where' }],
    ])
      assert.equal((await account.put(url(), { segment_traits: wrong })).status, 400);
  });

  await t.test('rejects invalid networks', async () => {
    const { error } = await testClient(app).put(url(), { excluded_networks: ['203.0.113.0/33'] });
    assert.equal(error.details[0].path, '/excluded_networks/0');
  });
});

test('an address is excluded by itself, by its network, and when IPv4 is written as IPv6', () => {
  const settings = { ...defaultSettings, excluded_networks: ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'] };
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '10.1.2.3', '2001:db8:1::1'])
    assert.ok(isExcluded(address, settings), address);
  for (const address of ['203.0.113.8', '11.0.0.1', '2001:db9::1', 'nonsense', '']) assert.ok(!isExcluded(address, settings), address);
});
