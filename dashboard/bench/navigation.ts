import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { machine, quantile } from '../../bench/compare.ts';
import { servers } from '../../bench/contacts-results.ts';
import { withPlatform } from '../../bench/platform.ts';
import { keepResults } from '../../bench/results.ts';
import { executablePath, flags } from '../test/browser.ts';
import { builtDashboard } from '../test/built-dashboard.ts';
import { fillWithDemo } from '../test/demo.ts';
import { signInBy } from '../test/journey.ts';
import { settled } from '../test/pages.ts';

/** Measures how soon pages are usable on a processor that is four times slower, and going from page to page. */
const slowdown = 4;
const rounds = 5;
const places = ['/', '/contacts', '/segments', '/campaigns', '/campaigns/templates', '/leadpulse', '/workflows', '/settings/account'];

await withPlatform(async (platform) => {
  await builtDashboard();
  await fillWithDemo(await platform.client('--permission', 'admin'), 'Zoë Example');
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await signInBy(context, await platform.command('sign-in-link.ts'));
    const rows: string[] = [];
    for (const place of places) {
      const slowed = await timesOf(() => loaded(context, platform.url + place));
      const warm = await timesOf(await visits(context, platform.url, place));
      rows.push(`| ${place} | ${slowed.join(' | ')} | ${warm.join(' | ')} |`);
    }
    const text = [
      '### Dashboard: pages',
      '',
      `${machine()}, ${await servers()}; Chromium drawing in software on the machine of the platform, an account with 243 contacts; ${rounds} rounds after a warm-up. Until a page has its title and nothing on it is loading: opened in a new tab with the processor slowed ${slowdown} times and the scripts cached, and reached from another page that was opened before. \`npm run bench -- dashboard-navigation\`.`,
      '',
      '| page | slowed, ms, median | worst | from another page, ms, median | worst |',
      '|---|---|---|---|---|',
      ...rows,
    ].join('\n');
    console.log(`\n${text}`);
    await keepResults('dashboard-navigation', text);
  } finally {
    await browser.close();
  }
});

/** The median and the worst of some rounds after a warm-up. */
async function timesOf(run: () => Promise<number>) {
  await run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await run());
  times.sort((a, b) => a - b);
  return [0.5, 1].map((q) => Math.round(quantile(times, q)));
}

/** Milliseconds from the start of the navigation until the page is usable, on a slowed processor. */
async function loaded(context: BrowserContext, url: string) {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(url, { waitUntil: 'commit' });
  const ms = await untilUsable(page, 0);
  await page.close();
  return ms;
}

/** Goes to the place from another page and back again, in one tab; returns the milliseconds of going there. */
async function visits(context: BrowserContext, origin: string, place: string) {
  const page = await context.newPage();
  const away = place === '/contacts' ? '/segments' : '/contacts';
  await page.goto(origin + away);
  await settled(page);
  const go = async (to: string) => {
    const start = await page.evaluate((path) => {
      document.querySelector<HTMLElement>('h1')?.setAttribute('data-left', '');
      const now = performance.now();
      window.history.pushState({}, '', path);
      return now;
    }, to);
    return untilUsable(page, start);
  };
  return async () => {
    const ms = await go(place);
    await page.waitForLoadState('networkidle');
    await go(away);
    await page.waitForLoadState('networkidle');
    return ms;
  };
}

/** Milliseconds of the page's clock from `start` until the first frame with a usable page: it has its title, and nothing on it is loading. */
async function untilUsable(page: Page, start: number) {
  const at = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const usable =
            document.querySelector('h1:not([data-left])') &&
            !document.querySelector('[role="status"][aria-label^="Loading"], .mantine-Skeleton-root');
          if (usable) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  return at - start;
}
