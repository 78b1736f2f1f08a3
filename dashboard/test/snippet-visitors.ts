import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { SignJWT } from 'jose';
import type { BrowserContext } from 'playwright-core';
import { type SnippetSite, shortly } from './snippet-site.ts';
import { callSnippet } from './website.ts';

export async function snippetVisitors(
  t: TestContext,
  { website, client, newSite, open, eventsOf, later, sendLater, requestsOf, nextEvent }: SnippetSite,
) {
  await t.test('the token of a link in an email identifies the visitor, and leaves the address', async (t) => {
    const site = await newSite();
    const { data: contact } = await client.post('/v2/contacts', { email: 'eve@example.com' });
    const token = await new SignJWT({ contact_id: contact.id })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience('mp_link')
      .setJti('link-1')
      .setExpirationTime('5m')
      .sign(Buffer.from(site.identity_secret));
    const { page } = await open(t, `/mailing?plan=%20pro&mp_token=${token}&q=1#top`);
    assert.equal(page.url(), `${website.origin}/mailing?plan=%20pro&q=1#top`);
    const { events } = await eventsOf('/mailing', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /mailing', '$identify /mailing']);
    assert.ok(!JSON.stringify(events).includes(token));
    await eventually(async () => (await client.get(`/v2/leadpulse/visitors?contact_id=${contact.id}`)).data.items.length === 1);
  });

  await t.test('events before a reset stay with the visitor, and those after it are from another one', async (t) => {
    await newSite('data-storage="local"');
    const { page } = await open(t, '/shared');
    const { visitor } = await eventsOf('/shared', 1);
    await page.evaluate(() => {
      window.mp?.('track', ...(['signed_out'] as never[]));
      window.mp?.('reset');
      window.mp?.('track', ...(['looked_around'] as never[]));
    });
    const { events } = await eventsOf('/shared', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /shared', 'signed_out /shared']);
    const next = await eventually(async () => {
      const id = await page.evaluate(() => localStorage.getItem('mp_id'));
      return (await client.get(`/v2/leadpulse/visitors?visitor_id=${id}`)).data.items[0];
    });
    assert.notEqual(next.id, visitor.id);
    assert.deepEqual(next.events, 1);
  });

  await t.test('with data-storage="cookie", a returning visitor is recognized until a reset', async (t) => {
    await newSite('data-storage="cookie"');
    const { page, context } = await open(t, '/cookie');
    const id = async () => (await context.cookies()).find(({ name }) => name === 'mp_id')?.value;
    const stored = await id();
    assert.ok(stored);
    const [{ visitor_id }] = await Promise.all([nextEvent(context, '$pageview'), page.reload()]);
    assert.deepEqual([visitor_id, await id()], [stored, stored]);
    await callSnippet(page, 'reset');
    assert.equal(await id(), undefined);
  });

  await t.test('nothing is sent or stored before consent, and denial deletes the stored ID', async (t) => {
    await newSite('data-consent="required" data-storage="local"');
    const { page } = await open(t, '/consent');
    const requests = requestsOf(page);
    await callSnippet(page, 'track', 'before_consent');
    await sendLater(page);
    assert.deepEqual([requests, await page.evaluate(() => localStorage.length)], [[later], 0]);
    await callSnippet(page, 'consent', 'granted');
    const { events, visitor } = await eventsOf('/consent', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /consent', 'before_consent /consent']);
    assert.equal(visitor.visitor_id, await page.evaluate(() => localStorage.getItem('mp_id')));
    await callSnippet(page, 'consent', 'Denied');
    assert.equal(await page.evaluate(() => localStorage.getItem('mp_id')), null, 'what is not granted is denied');
    await callSnippet(page, 'consent', 'denied');
    await callSnippet(page, 'track', 'after_denial');
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), { mp_consent: 'denied' });
  });

  await t.test('the choice of the visitor holds on later pages, without a cookie, until it changes', async (t) => {
    await newSite();
    const { page, context } = await open(t, '/choice');
    await eventsOf('/choice', 1);
    await callSnippet(page, 'consent', 'denied');
    const requests = requestsOf(page);
    const sent = () => requests.filter((url) => url.includes('/ingest/v1/events'));
    await page.goto(`${website.origin}/choice/next`);
    await callSnippet(page, 'track', 'ignored');
    await sendLater(page);
    assert.deepEqual([sent(), await context.cookies()], [[], []]);
    await newSite('data-consent="required"');
    await page.goto(`${website.origin}/choice/asked`);
    await sendLater(page);
    assert.deepEqual(sent(), []);
    await Promise.all([nextEvent(context, '$pageview'), callSnippet(page, 'consent', 'granted')]);
    await Promise.all([nextEvent(context, '$pageview'), page.goto(`${website.origin}/choice/granted`)]);
    assert.deepEqual(await context.cookies(), []);
  });

  await t.test('an excluded browser sends nothing on this page and later ones, until its visits are counted again', async (t) => {
    await newSite();
    const { page } = await open(t, '/excluded');
    await eventsOf('/excluded', 1);
    const requests = requestsOf(page);
    const shown = page.waitForEvent('console', (message) => message.text().includes('this browser is not counted'));
    await callSnippet(page, 'exclude');
    await shown;
    await callSnippet(page, 'track', 'ignored');
    await callSnippet(page, 'consent', 'granted');
    await sendLater(page);
    await page.reload();
    await callSnippet(page, 'consent', 'granted');
    await callSnippet(page, 'track', 'ignored');
    await sendLater(page);
    assert.deepEqual(
      requests.filter((url) => url.includes('/ingest/v1/events')),
      [],
    );
    await callSnippet(page, 'exclude', false);
    await callSnippet(page, 'track', 'counted_again');
    const { events } = await eventsOf('/excluded', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /excluded', 'counted_again /excluded']);
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), { mp_consent: 'granted' }, 'only the choice is kept');
  });

  for (const [signal, value] of [
    ['globalPrivacyControl', true],
    ['doNotTrack', '1'],
  ] as const)
    await t.test(`${signal} is respected, unless the visitor consents or the site ignores it`, async (t) => {
      await newSite();
      const optOut = (context: BrowserContext) =>
        context.addInitScript(([signal, value]) => Object.defineProperty(navigator, signal, { value }), [signal, value] as const);
      const { page, context } = await open(t, `/${signal}`, optOut);
      const requests = requestsOf(page);
      await callSnippet(page, 'track', 'ignored');
      await sendLater(page);
      assert.deepEqual(requests, [later]);
      await callSnippet(page, 'consent', 'granted');
      const { events } = await eventsOf(`/${signal}`, 1);
      assert.deepEqual(events.map(shortly), [`$pageview /${signal}`]);
      await newSite('data-signals="ignore"');
      await Promise.all([nextEvent(context, '$pageview'), page.reload()]);
    });
}
