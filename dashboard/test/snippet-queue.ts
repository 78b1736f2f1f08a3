import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { BrowserContext } from 'playwright-core';
import type { SnippetSite } from './snippet-site.ts';
import { callSnippet } from './website.ts';

export async function snippetQueue(t: TestContext, { client, newSite, open, eventsOf, sendLater, nextEvent }: SnippetSite) {
  await t.test('an event that cannot be sent is dropped with a warning, and the next one is sent', async (t) => {
    await newSite();
    const { page, context, faults } = await open(t, '/faulty');
    const circular: { self?: unknown } = {};
    circular.self = circular;
    for (const properties of [{ count: 10n }, circular]) {
      const warned = page.waitForEvent('console', (message) => message.text().startsWith('mp: an event was dropped'));
      await Promise.all([warned, callSnippet(page, 'track', 'faulty', properties)]);
    }
    const sent = nextEvent(context, 'good');
    await callSnippet(page, 'track', 'good');
    await sent;
    assert.deepEqual(faults, []);
  });

  await t.test('events larger than what a browser sends at once arrive, even without space to store the ID', async (t) => {
    await newSite('data-storage="local"');
    const full = (context: BrowserContext) =>
      context.addInitScript(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      });
    const { page } = await open(t, '/large', full);
    await page.evaluate(() => {
      const texts = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'ä'.repeat(1_900)]);
      for (let number = 0; number < 30; number += 1) window.mp?.('track', ...(['large', Object.fromEntries(texts)] as never[]));
    });
    const { visitor } = await eventsOf('/large', 10);
    await eventually(async () => (await client.get(`/v2/leadpulse/visitors/${visitor.id}`)).data.events === 31);
  });

  await t.test('new events do not shorten the pause after a failed request, and wait once for the next page', async (t) => {
    await newSite('data-storage="local"');
    const { page } = await open(t, '/waiting');
    await eventsOf('/waiting', 1);
    let requests = 0;
    await page.route('**/ingest/v1/events**', (route) => {
      requests += 1;
      return route.abort();
    });
    await callSnippet(page, 'track', 'first');
    await eventually(async () => requests === 1);
    for (let number = 0; number < 5; number += 1) await callSnippet(page, 'track', 'later', { number });
    await sendLater(page);
    assert.equal(requests, 1);
    const waiting = await page.evaluate(() => {
      navigator.sendBeacon = () => false;
      for (let round = 0; round < 3; round += 1) dispatchEvent(new Event('pagehide'));
      return JSON.parse(localStorage.getItem('mp_queue') ?? '[]').length;
    });
    assert.equal(waiting, 6);
  });

  await t.test('events that happen offline, or on a page that is left immediately, arrive exactly once', async (t) => {
    await newSite('data-track="outbound forms"');
    // What is sent after the page was left has the user agent of the browser, not of the context.
    const { page, context } = await open(t, '/offline', undefined, {});
    await context.setOffline(true);
    const failed = page.waitForEvent('requestfailed');
    for (let number = 0; number < 25; number += 1) await callSnippet(page, 'track', 'offline_event', { number });
    await failed;
    await context.setOffline(false);
    await eventsOf('/offline', 26);
    await page.route('https://elsewhere.example/**', (route) => route.fulfill({ body: 'elsewhere' }));
    await page.click('#out');
    await page.waitForURL('https://elsewhere.example/');
    const { events } = await eventsOf('/offline', 27);
    assert.equal(events.length, 27);
    assert.equal(events.at(-1).event, 'outbound_link');
  });

  await t.test('hundreds of events in a row arrive, and those beyond the queue are counted, even after a refused beacon', async (t) => {
    const site = await newSite('data-storage="local"');
    const { page, context } = await open(t, '/burst');
    const { visitor } = await eventsOf('/burst', 1);
    const track = (count: number) =>
      page.evaluate((times) => {
        for (let number = 0; number < times; number += 1) window.mp?.('track', ...(['burst', { number }] as never[]));
      }, count);
    const arrived = (count: number) =>
      eventually(async () => (await client.get(`/v2/leadpulse/visitors/${visitor.id}`)).data.events === count);
    await track(300);
    await arrived(301);
    await context.setOffline(true);
    const warned = page.waitForEvent('console', (message) => message.text().startsWith('mp: an event was dropped'));
    const failed = page.waitForEvent('requestfailed');
    await Promise.all([warned, failed, track(1_007)]);
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { value: true });
      navigator.sendBeacon = () => false;
      dispatchEvent(new Event('pagehide'));
    });
    await context.setOffline(false);
    await arrived(1_301);
    await eventually(async () => (await client.get(`/v2/leadpulse/sites/${site.id}`)).data.dropped_events === 7);
  });
}
