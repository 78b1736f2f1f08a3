import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { SignJWT } from 'jose';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { executablePath, flags, withoutBrowser } from './browser.ts';
import { callSnippet, startWebsite } from './website.ts';

test('the snippet in a browser, on a page of another origin', { skip: withoutBrowser, timeout: 300_000 }, async (t) => {
  const [platform, browser] = await Promise.all([
    startPlatform(t, { services: ['gateway', 'contacts', 'segments', 'leadpulse'] }),
    chromium.launch({ ...(executablePath && { executablePath }), args: [...flags, '--user-agent=Mozilla/5.0 Firefox/120.0'] }),
  ]);
  t.after(() => browser.close());
  const website = await startWebsite(t, platform);
  const client = await platform.client('--permission', 'admin');

  async function newSite(attributes = '') {
    const { data } = await client.post('/v2/leadpulse/sites', { name: 'Shop', origins: [website.origin] });
    const { path, integrity } = data.snippet;
    website.show(
      `<script src="${platform.url}${path}" integrity="${integrity}" crossorigin data-key="${data.publishable_key}" ${attributes}></script>`,
    );
    return data;
  }
  /** Opens a page as another visitor, whom the user agent tells apart. */
  async function open(
    t: TestContext,
    path: string,
    use: (context: BrowserContext) => Promise<unknown> = async () => undefined,
    options: BrowserContextOptions = { userAgent: `Mozilla/5.0 Firefox/120.0 ${Math.random()}` },
  ) {
    const context = await browser.newContext(options);
    t.after(() => context.close());
    await use(context);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(website.origin + path);
    return { context, page, faults };
  }
  /** The events of the only visitor that viewed this path, oldest first. */
  const eventsOf = (path: string, count: number) =>
    eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/visitors?limit=100')).data;
      for (const { id } of items) {
        const { data } = await client.get(`/v2/leadpulse/visitors/${id}`);
        const events = data.recent_events.toReversed();
        if (events.length >= count && events.some((event: Seen) => event.page?.path === path)) return { events, visitor: data };
      }
      return undefined;
    });
  const later = `${platform.url}/ingest/v1/later`;
  /** Sends a request after everything that the snippet has planned by now: the timers of a page run in order. */
  const sendLater = (page: Page) =>
    page.evaluate(async (url) => {
      await new Promise((resolve) => setTimeout(resolve));
      await fetch(url, { mode: 'no-cors' }).catch(() => undefined);
    }, later);
  function requestsOf(page: Page) {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    return requests;
  }
  /** The next event of this name that a page sends, with its visitor. */
  async function nextEvent(context: BrowserContext, name: string) {
    const request = await context.waitForEvent('request', (request) => request.postData()?.includes(`"event":"${name}"`) ?? false);
    const { visitor_id, events } = JSON.parse(request.postData() ?? '');
    return { visitor_id, ...events.find(({ event }: Seen) => event === name) };
  }
  type Seen = { event: string; page: { path: string; referrer: string; title: string } | null };
  const shortly = ({ event, page }: Seen) => `${event} ${page?.path}`;

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

  await t.test('clicks on files and submitted forms are events, also of a form with a field named id', async (t) => {
    await newSite('data-track="downloads forms"');
    const { page, context } = await open(t, '/interactions');
    // The page stays, so that the events are sent by requests whose body the test can read.
    await page.evaluate(() => {
      document.querySelector('#file')?.addEventListener('click', (event) => event.preventDefault());
      document.querySelector('#f')?.addEventListener('submit', (event) => event.preventDefault());
    });
    const [download] = await Promise.all([nextEvent(context, 'file_download'), page.click('#file')]);
    assert.deepEqual(download.properties, { url: `${website.origin}/prices.PDF` });
    const [submission] = await Promise.all([nextEvent(context, 'form_submit'), page.click('#f button')]);
    assert.deepEqual(submission.properties, { id: 'f', name: 'order' });
  });

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

  await t.test('hundreds of events in a row arrive, and those that find the queue full are counted', async (t) => {
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
    await Promise.all([warned, track(1_007)]);
    await context.setOffline(false);
    await arrived(1_301);
    await eventually(async () => (await client.get(`/v2/leadpulse/sites/${site.id}`)).data.dropped_events === 7);
  });

  await t.test('links are tracked without password, and without query and hash unless the site asks for them', async (t) => {
    const followed = async (attributes: string) => {
      await newSite(attributes);
      const { page, context } = await open(t, '/links');
      await page.evaluate(() => {
        for (const link of document.querySelectorAll('a')) {
          link.href = `${link.href.replace('elsewhere', 'me:pw@elsewhere')}?secret=1#part`;
          link.addEventListener('click', (event) => event.preventDefault());
        }
      });
      const [out] = await Promise.all([nextEvent(context, 'outbound_link'), page.click('#out')]);
      const [file] = await Promise.all([nextEvent(context, 'file_download'), page.click('#file')]);
      return [out.properties.url, file.properties.url];
    };
    assert.deepEqual(await followed('data-track="outbound downloads"'), ['https://elsewhere.example/', `${website.origin}/prices.PDF`]);
    assert.deepEqual(await followed('data-track="outbound downloads queries"'), [
      'https://elsewhere.example/?secret=1#part',
      `${website.origin}/prices.PDF?secret=1#part`,
    ]);
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
    const shown = page.waitForEvent('console', (message) => message.text().includes('not counted here'));
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
});
