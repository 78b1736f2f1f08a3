import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { SignJWT } from 'jose';
import { type Seen, type SnippetSite, shortly } from './snippet-site.ts';
import { callSnippet } from './website.ts';

export async function snippetPageViews(t: TestContext, { website, client, newSite, open, eventsOf, nextEvent }: SnippetSite) {
  await t.test('page views, navigation, an event and a token arrive; the visitor is a contact, and a segment reacts', async (t) => {
    const site = await newSite();
    const { page, context, faults } = await open(t, '/landing?utm_source=news');
    // The page view is recorded after the navigation, so the next navigation waits for it.
    const viewed = page.waitForRequest((request) => request.postData()?.includes(`${website.origin}/pricing`) ?? false);
    await page.evaluate(() => history.pushState({}, '', '/pricing'));
    await viewed;
    await page.evaluate(() => history.pushState({}, '', '/pricing#top'));
    await callSnippet(page, 'track', 'order_placed', { plan: 'pro' }, { value: { amount: 49, currency: 'EUR' } });
    const { data: contact } = await client.post('/v2/contacts', { email: 'ada@example.com', external_id: 'user-7' });
    const rule = { event: 'order_placed', count: { gte: 1 }, in_last: 'P30D' };
    const { data: segment } = await client.post('/v2/segments', { name: 'Buyers', definition: { all: [rule] } });
    const token = await new SignJWT({ sub: 'user-7' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(Buffer.from(site.identity_secret));
    await callSnippet(page, 'identify', { token });

    const { events, visitor } = await eventsOf('/pricing', 4);
    assert.deepEqual(events.map(shortly), ['$pageview /landing', '$pageview /pricing', 'order_placed /pricing', '$identify /pricing']);
    assert.deepEqual(
      [events[1].page.referrer, events[2].value],
      [`${website.origin}/landing?utm_source=news`, { amount: 49, currency: 'EUR' }],
    );
    assert.equal(visitor.first_touch.source, 'news');
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    await eventually(async () => {
      const { data } = await client.get(`/v2/leadpulse/visitors?contact_id=${contact.id}`);
      return data.items.length === 1 && data.items[0].id === visitor.id;
    });
    await eventually(async () => (await client.get(`/v2/segments/${segment.id}/contacts`)).data.items[0]?.id === contact.id);
    assert.deepEqual(faults, [], 'nothing violates the Content-Security-Policy');
    assert.ok((await client.get(`/v2/leadpulse/sites/${site.id}`)).data.first_event_at);
  });

  await t.test('a page is viewed when its path is replaced, on going back, and on return from the back/forward cache', async (t) => {
    await newSite();
    const { page, context } = await open(t, '/app');
    async function viewAfter(navigate: () => unknown) {
      const viewed = nextEvent(context, '$pageview');
      await Promise.all([viewed, page.evaluate(navigate)]);
    }
    await viewAfter(async () => {
      history.replaceState({}, '', '/app?filter=new');
      // Still the page that was viewed.
      location.assign('#top');
      await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
      history.pushState({}, '', location.href);
      await new Promise((resolve) => setTimeout(resolve));
      history.replaceState({}, '', '/app/list');
    });
    await viewAfter(() => history.pushState({}, '', '/app/item'));
    await viewAfter(() => history.back());
    await viewAfter(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    const { events } = await eventsOf('/app/item', 5);
    assert.deepEqual(
      events.map(({ page }: Seen) => page?.path),
      ['/app', '/app/list', '/app/item', '/app/list', '/app/list'],
    );
  });

  await t.test('with a hash router, what follows # names the page', async (t) => {
    await newSite('data-hash');
    const { page } = await open(t, '/hash#/start');
    await page.evaluate(() => location.assign('#/settings?tab=users'));
    const { events } = await eventsOf('/hash#/settings', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /hash#/start', '$pageview /hash#/settings']);
  });

  await t.test('with data-manual, only calls send page views', async (t) => {
    await newSite('data-manual');
    const { page } = await open(t, '/manual');
    await page.evaluate(() => history.pushState({}, '', '/manual/next'));
    await callSnippet(page, 'page', { theme: 'dark' });
    const { events } = await eventsOf('/manual/next', 1);
    assert.deepEqual([events.map(shortly), events[0].properties], [['$pageview /manual/next'], { theme: 'dark' }]);
  });

  await t.test('calls made before the script has loaded are kept, and a wrong one stops none after it', async (t) => {
    await newSite();
    await open(t, '/early', (context) =>
      context.addInitScript(() => {
        window.mp = (...call) => {
          if (window.mp) window.mp.q = [...(window.mp.q ?? []), call];
        };
        window.mp('identify', ...([] as never[]));
        window.mp('track', ...(['early_call'] as never[]));
      }),
    );
    const { events } = await eventsOf('/early', 2);
    assert.deepEqual(events.map(shortly), ['$pageview /early', 'early_call /early']);
  });

  await t.test('in a single-page application, the time on a page and its scroll depth belong to that page', async (t) => {
    await newSite('data-track="engagement"');
    const { page, context } = await open(t, '/read');
    const left = nextEvent(context, '$engagement');
    await page.evaluate(async () => {
      const scrolled = new Promise((resolve) => addEventListener('scroll', resolve, { once: true }));
      scrollTo(0, document.documentElement.scrollHeight);
      await scrolled;
      history.pushState({}, '', '/next');
    });
    const { properties, context: sent } = await left;
    assert.deepEqual([properties.scroll_depth, sent.page.url, sent.page.path], [100, `${website.origin}/read`, '/read']);
  });

  await t.test('the time on a page is sent as soon as the page is hidden', async (t) => {
    await newSite('data-track="engagement"');
    const { page } = await open(t, '/hidden');
    await eventsOf('/hidden', 1);
    const bodies = await page.evaluate(() => {
      const sent: unknown[] = [];
      navigator.sendBeacon = (_, body) => sent.push(body) > 0;
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
      return sent.map(String);
    });
    assert.match(bodies.join(), /\$engagement/);
  });
}
