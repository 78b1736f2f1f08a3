import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { buildApp } from '../app.ts';
import { defaultSettings, isExcluded } from './settings.ts';

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
    assert.deepEqual((await account.get(url())).data, defaultSettings);
    await account.put(url(), { blocked_properties: ['card', 'note'], store_networks: false });
    const changed = await account.put(url(), { excluded_networks: ['198.51.100.0/24'], retention_days: 400 });
    assert.deepEqual(changed.data, {
      blocked_properties: ['card', 'note'],
      store_networks: false,
      excluded_networks: ['198.51.100.0/24'],
      retention_days: 400,
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
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ properties, context }) => [properties, context.network]),
      Array(3).fill([[{ k: 'cards', v: 2 }], null]),
    );
  });

  await t.test('rejects networks that are none', async () => {
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
