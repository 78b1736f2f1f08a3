import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { executablePath, flags } from './browser.ts';
import { startWebsite } from './website.ts';

/** An event as the API shows it. */
export type Seen = { event: string; page: { path: string; referrer: string; title: string } | null };

export const shortly = ({ event, page }: Seen) => `${event} ${page?.path}`;

export type SnippetSite = Awaited<ReturnType<typeof startSnippetSite>>;

/** A platform, and a website on another origin whose pages load the snippet. */
export async function startSnippetSite(t: TestContext) {
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

  return { platform, website, client, newSite, open, eventsOf, later, sendLater, requestsOf, nextEvent };
}
