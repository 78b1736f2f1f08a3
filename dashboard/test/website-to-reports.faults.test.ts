import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { SignJWT } from 'jose';
import { MongoClient } from 'mongodb';
import {
  countFunnel,
  countRange,
  countRetention,
  type GeneratedEvent,
  randomEventName,
  randomNumbers,
} from '../../services/leadpulse/test/generated-events.ts';
import type { Client } from '../../tests/client.ts';
import type { Platform } from '../../tests/platform.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { callSnippet, startWebsite } from './website.ts';

/** `EVENTS=20000 npm run test:faults -- website-to-reports` for a slow machine. */
const eventCount = Number(process.env.EVENTS ?? 200_000);
const visitorCount = eventCount / 10;
/** The first visitors are two browsers each of as many known people. */
const peopleWithTwoBrowsers = 100;
const days = 28;
const dayMs = 86_400_000;
/** Only for work that hangs. */
const largeMs = 2_400_000;

type Json = ReturnType<typeof JSON.parse>;

/** Visits, sign-ups and purchases in random order, and a sign-in of every browser of a known person. */
function generatedEvents(start: number, end: number): GeneratedEvent[] {
  const random = randomNumbers(11);
  const personOf = (visitor: number) => (visitor < 2 * peopleWithTwoBrowsers ? `person-${Math.floor(visitor / 2)}` : `v${visitor}`);
  return Array.from({ length: eventCount }, (_, index) => {
    const visitor = index < 2 * peopleWithTwoBrowsers ? index : Math.floor(random() * visitorCount);
    const name = index < 2 * peopleWithTwoBrowsers ? 'signed_in' : randomEventName(random());
    const at = start + Math.floor(random() * (end - start));
    return { person: personOf(visitor), visitor: `v${visitor}`, name, at, id: `m${String(index).padStart(6, '0')}` };
  });
}

/** Sends the events in batches, and every tenth batch twice. */
async function sendAll(client: Client, events: readonly GeneratedEvent[]) {
  for (let from = 0; from < events.length; from += 1_000) {
    const batch = events.slice(from, from + 1_000).map(({ person, visitor, name, at, id }) => ({
      ...{ event: name, visitor_id: visitor, message_id: id, timestamp: new Date(at).toISOString(), backfill: true },
      ...(name === '$pageview' && { context: { page: { url: 'https://shop.example.com/' } } }),
      ...(name === 'purchase' && { value: { amount: 49, currency: 'EUR' } }),
      ...(name === 'signed_in' && { external_id: person }),
    }));
    for (const expected of from % 10_000 === 0 ? [batch.length, 0] : [batch.length]) {
      const { status, data, text } = await client.post('/v2/leadpulse/track', { events: batch });
      assert.deepEqual([status, data?.accepted], [202, expected], text);
    }
  }
}

/** Resolves when every event is counted, and earlier events of identified visitors belong to their contact. */
async function untilCounted(t: TestContext, platform: Platform) {
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const db = mongo.db(`${platform.namespace}_leadpulse`);
  const isSettled = async () =>
    (await db.collection('events').findOne({ pending: true })) === null &&
    (await db.collection('visitors').findOne({ attributing: true })) === null;
  await eventually(isSettled, largeMs);
}

/** The result of a report, including one that runs as a job. */
async function reportOf(client: Client, kind: string, body: object): Promise<Json> {
  const { status, data, text } = await client.post(`/v2/leadpulse/${kind}`, body);
  assert.ok(status === 200 || status === 202, text);
  if (status === 200) return data;
  return eventually(async () => {
    const job = (await client.get(`/v2/leadpulse/reports/${data.id}`)).data;
    assert.notEqual(job.status, 'failed', job.error);
    return job.status === 'completed' && job.result;
  }, largeMs);
}

test('a website with the snippet: a visitor becomes a contact, a segment reacts, and reports equal a recount', {
  skip: withoutBrowser,
}, async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'contacts', 'segments', 'leadpulse'] });
  const [browser, website, client] = await Promise.all([
    openBrowser(t),
    startWebsite(t, platform),
    platform.client('--permission', 'admin', '--account', 'website'),
  ]);
  const end = Math.ceil(Date.now() / dayMs) * dayMs;
  const start = end - days * dayMs;
  const events = generatedEvents(start, Date.now());

  const { data: contact } = await client.post('/v2/contacts', { email: 'ada@example.com', external_id: 'user-7' });
  await t.test('visits, an event and a signed identity from a page on another origin create a contact that enters a segment', async () => {
    const rule = { event: 'purchase', count: { gte: 1 }, in_last: 'P30D' };
    const { data: segment } = await client.post('/v2/segments', { name: 'Buyers', definition: { all: [rule] } });
    const { data: site } = await client.post('/v2/leadpulse/sites', { name: 'Shop', origins: [website.origin] });
    website.show(`<script async src="${platform.url}/ingest/v1/mp.js" data-key="${site.publishable_key}"></script>`);

    const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0' });
    t.after(() => context.close());
    const page = await context.newPage();
    // Sent before the page is left: Chromium sends what is left over as HeadlessChrome, which is another visitor.
    await Promise.all([page.waitForResponse(/\/ingest\/v1\/events/), page.goto(`${website.origin}/`)]);
    await page.goto(`${website.origin}/pricing`);
    await page.waitForFunction(() => window.mp !== undefined);
    await callSnippet(page, 'track', 'signup');
    await callSnippet(page, 'track', 'purchase', { plan: 'pro' }, { value: { amount: 49, currency: 'EUR' } });
    const signing = new SignJWT({ sub: 'user-7' }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m');
    await callSnippet(page, 'identify', { token: await signing.sign(Buffer.from(site.identity_secret)) });

    const { recent_events: seen } = await eventually(async () => {
      const [visitor] = (await client.get(`/v2/leadpulse/visitors?contact_id=${contact.id}`)).data.items;
      const whole = visitor && (await client.get(`/v2/leadpulse/visitors/${visitor.id}`)).data;
      return whole?.recent_events.length >= 5 && whole;
    }, largeMs);
    // Not by time: a request that takes over a minute on a busy machine counts as one with a wrong clock, and its events are moved.
    assert.deepEqual(seen.map(({ event }: { event: string }) => event).sort(), [
      '$identify',
      '$pageview',
      '$pageview',
      'purchase',
      'signup',
    ]);
    for (const { id, event, timestamp } of seen)
      events.push({ person: contact.id, visitor: contact.id, name: event, at: Date.parse(timestamp), id });
    await eventually(async () => (await client.get(`/v2/segments/${segment.id}/contacts`)).data.items[0]?.id === contact.id, largeMs);
  });

  const known = Array.from({ length: peopleWithTwoBrowsers }, (_, index) => ({ external_id: `person-${index}` }));
  assert.equal((await client.post('/v2/contacts/batch', { contacts: known })).status, 200);
  await sendAll(client, events.slice(0, eventCount));
  await untilCounted(t, platform);
  const range = { from: new Date(start).toISOString(), to: new Date(end).toISOString() };

  await t.test('visit, sign-up, purchase within three days', async () => {
    const steps = [{ event: '$pageview' }, { event: 'signup' }, { event: 'purchase' }];
    const found = await reportOf(client, 'funnels', { ...range, steps, window: 'P3D' });
    const people = found.steps.map((step: Json) => step.people);
    assert.deepEqual(people, countFunnel(events, 3 * dayMs));
    assert.ok(people.every((count: number) => count > 0));
  });

  await t.test('sign-ups that return for a purchase, by day', async () => {
    const body = { ...range, first: { event: 'signup' }, returning: { event: 'purchase' }, interval: 'day' };
    const found = await reportOf(client, 'retention', body);
    assert.deepEqual(
      found.cohorts.map((cohort: Json) => [cohort.people, cohort.periods.map((period: Json) => period.returned.numerator)]),
      countRetention(events, start, days),
    );
  });

  await t.test('the last two weeks compared with the two before, from events and from rollups', async () => {
    const middle = start + (days / 2) * dayMs;
    const halfOf = (from: number, name?: string) => countRange(events, from, from + (days / 2) * dayMs, name);
    const half = { from: new Date(middle).toISOString(), to: range.to };
    const found = await reportOf(client, 'query', {
      ...half,
      ...{ metrics: ['visitors', 'events'], dimensions: ['event'], compare: 'previous' },
    });
    assert.deepEqual([found.totals, found.previous_totals], [halfOf(middle), halfOf(start)]);
    const rows = new Map(found.rows.map(({ values: [name], metrics, previous }: Json) => [name, [metrics, previous]]));
    for (const name of ['$pageview', 'signup', 'purchase', 'signed_in'])
      assert.deepEqual(rows.get(name), [halfOf(middle, name), halfOf(start, name)], name);

    const query = new URLSearchParams({ ...half, compare: 'previous' });
    const { totals, comparison } = (await client.get(`/v2/leadpulse/analytics?${query}`)).data;
    for (const [from, counted] of [
      [middle, totals],
      [start, comparison.totals],
    ]) {
      assert.deepEqual([counted.events, counted.pageviews], [halfOf(from).events, halfOf(from, '$pageview').events]);
      if (counted.visitors_error === 0) assert.equal(counted.visitors, halfOf(from).visitors);
    }
  });
});
