import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { AnalyticsBrowser as Browser } from '@segment/analytics-next';
import { Analytics } from '@segment/analytics-node';
import { SignJWT } from 'jose';
import type { Client } from '../../tests/client.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';

type Call = { type: string; event: string | null; library: string | null; status: string; notes: string[]; message_id: string | null };

const umd = join(dirname(createRequire(import.meta.url).resolve('@segment/analytics-next')), '../umd');

/** The calls of the account that the platform has received, once there are so many. */
const callsOf = (client: Client, count: number): Promise<Call[]> =>
  eventually(async () => {
    const { items } = (await client.get('/v2/leadpulse/segment-calls?limit=100')).data;
    return items.length >= count && items;
  });

test("Segment's libraries work unchanged", async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'contacts', 'segments', 'leadpulse'] });

  await t.test('analytics-node: the contact is there before the event that follows it, and a retry counts once', async (t) => {
    const client = await platform.client('--permission', 'read_write', '--account', 'segment-node');
    const analytics = new Analytics({ writeKey: client.key ?? '', host: platform.url, flushAt: 10 });
    t.after(() => analytics.closeAndFlush());
    const failures: unknown[] = [];
    analytics.on('error', (error) => failures.push(error));
    analytics.identify({
      userId: 'u1',
      anonymousId: 'a1',
      traits: { email: 'ada@example.com', firstName: 'Ada', plan: 'pro', phone: '12' },
    });
    analytics.group({ userId: 'u1', groupId: 'acme', traits: { name: 'Acme' } });
    analytics.track({
      ...{ userId: 'u1', event: 'Order Completed', messageId: 'order-1' },
      properties: { revenue: 39.95, currency: 'EUR', products: [{ sku: 'a', price: 39.95 }] },
    });
    analytics.track({ userId: 'u1', event: 'Order Completed', messageId: 'order-1' });
    analytics.page({ userId: 'u1', properties: { url: 'https://shop.example.com/thanks', title: 'Thanks' } });
    analytics.screen({ anonymousId: 'a1', name: 'Home' });
    analytics.alias({ userId: 'u1', previousId: 'a0' });
    await analytics.flush();
    assert.deepEqual(failures, []);

    const calls = await callsOf(client, 7);
    assert.deepEqual(
      calls.map(({ type, status }) => `${type} ${status}`).sort(),
      ['alias', 'group', 'identify', 'page', 'screen', 'track']
        .map((type) => `${type} accepted`)
        .concat('track duplicate')
        .sort(),
    );
    assert.equal(calls[0]?.library, '@segment/analytics-node 3.1.0');
    const order = await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/events?event=Order%20Completed')).data;
      return items.find(({ contact_id }: { contact_id: string | null }) => contact_id !== null);
    });
    assert.deepEqual([order.value, order.properties['products.0.sku']], [{ amount: 39.95, currency: 'EUR' }, 'a']);
    const { data: contact } = await client.get(`/v2/contacts/${order.contact_id}`);
    assert.deepEqual(
      [contact.external_id, contact.email, contact.first_name, contact.company, contact.attributes, contact.source, contact.phone],
      ['u1', 'ada@example.com', 'Ada', 'Acme', { plan: 'pro', company_id: 'acme' }, 'segment', null],
    );
    await eventually(async () => (await callsOf(client, 7)).some(({ notes }) => notes.some((note) => note.startsWith('/phone: '))));
    await eventually(async () => (await client.get('/v2/leadpulse/visitors?visitor_id=a0')).data.items[0]?.contact_id === contact.id);
  });

  await t.test(
    'analytics-node does not repeat calls with a wrong key; each event of a right one is charged to the daily quota',
    async (t) => {
      const client = await platform.client('--permission', 'read_write', '--account', 'segment-quota', '--plan', 'growth');
      const wrong = new Analytics({ writeKey: `${client.key?.slice(0, -1)}x`, host: platform.url, flushAt: 1 });
      t.after(() => wrong.closeAndFlush({ timeout: 1 }));
      const failed = new Promise<{ code: string }>((resolve) => wrong.on('error', (error) => resolve(error)));
      wrong.track({ userId: 'u1', event: 'x' });
      assert.equal((await failed).code, 'delivery_failure');
      const left = async () => Number((await client.get('/v2/contacts')).headers.get('x-ratelimit-remaining'));
      const before = await left();
      const analytics = new Analytics({ writeKey: client.key ?? '', host: platform.url, flushAt: 30 });
      for (let index = 0; index < 25; index += 1) analytics.track({ userId: 'u1', event: 'x' });
      await analytics.closeAndFlush();
      assert.equal(before - (await left()), 26);
    },
  );

  await t.test('analytics-next in a browser, with batches and without', { skip: withoutBrowser }, async (t) => {
    const client = await platform.client('--permission', 'admin', '--account', 'segment-browser');
    const website = await startWebsite(t);
    const { data: site } = await client.post('/v2/leadpulse/sites', { name: 'Shop', origins: [website] });
    const token = await new SignJWT({ sub: 'u9', email: 'own@example.com' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(site.identity_secret));
    const browser = await openBrowser(t);

    for (const batching of [false, true]) {
      const page = await (await browser.newContext({ userAgent: 'Mozilla/5.0 Firefox/120.0' })).newPage();
      const foreign: string[] = [];
      const faults: string[] = [];
      page.on(
        'request',
        (request) => [platform.url, website].some((origin) => request.url().startsWith(origin)) || foreign.push(request.url()),
      );
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await page.goto(`${website}/pricing?utm_source=ads`);
      const before = (await client.get('/v2/leadpulse/segment-calls')).data.items.length;
      await page.evaluate(
        async ({ cdnURL, writeKey, batching, token }) => {
          const { AnalyticsBrowser }: { AnalyticsBrowser: typeof Browser } = Reflect.get(window, 'AnalyticsNext');
          const batches = { strategy: 'batching' as const, config: { size: 5, timeout: 100 } };
          const standard = { strategy: 'standard' as const, config: { keepalive: false } };
          const deliveryStrategy = batching ? batches : standard;
          const analytics = AnalyticsBrowser.load({ writeKey, cdnURL }, { integrations: { 'Segment.io': { deliveryStrategy } } });
          await analytics.page('Pricing');
          await analytics.identify('victim', { email: 'victim@example.com', plan: 'pro' });
          await analytics.track('Product Viewed', { product_id: 'p1', price: 10, value: 10 });
          await analytics.group('acme', { name: 'Acme' });
          if (!batching) await analytics.identify('u9', { firstName: 'Own' }, { context: { token } });
          else await analytics.alias('u10');
        },
        { cdnURL: platform.url, writeKey: site.publishable_key, batching, token },
      );
      const calls = (await callsOf(client, before + 5)).slice(0, 5);
      assert.deepEqual(new Set(calls.map(({ status }) => status)), new Set(['accepted']));
      assert.match(calls[0]?.library ?? '', /^analytics\.js /);
      assert.deepEqual([foreign, faults], [[], []]);
    }

    const own = await eventually(async () => (await client.get('/v2/contacts?external_id=u9')).data.items[0]);
    assert.deepEqual([own.email, own.first_name], ['own@example.com', 'Own']);
    assert.equal((await client.get('/v2/contacts?limit=10')).data.items.length, 1, 'no other contact was made');
    const view = await eventually(async () => (await client.get('/v2/leadpulse/events?event=$pageview')).data.items[0]);
    assert.deepEqual([view.page.path, view.page.title, view.value], ['/pricing', 'Shop', null]);
  });
});

/** A website on another origin, with the library from its package. */
async function startWebsite(t: TestContext): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const file = url.endsWith('.js') ? await readFile(join(umd, basename(url))).catch(() => undefined) : undefined;
    response.setHeader('content-type', file ? 'text/javascript' : 'text/html');
    response.end(file ?? '<!doctype html><title>Shop</title><link rel=icon href=data:,><body><script src="/index.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
