import { chromium, type Page } from 'playwright-core';
import { machine, quantile } from '../../bench/compare.ts';
import { servers } from '../../bench/contacts-results.ts';
import { withPlatform } from '../../bench/platform.ts';
import { keepResults } from '../../bench/results.ts';
import { executablePath, flags } from '../test/browser.ts';
import { builtDashboard } from '../test/built-dashboard.ts';
import { signInBy } from '../test/journey.ts';
import { serveContacts } from '../test/made-up-contacts.ts';

/** Measures frame times while scrolling lists of 1,000 to 100,000 contacts. */
const totals = [1_000, 10_000, 100_000];
const steps = 300;
const stepPixels = 700;

await withPlatform(
  async (platform) => {
    await builtDashboard();
    const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
    try {
      const rows: string[] = [];
      for (const total of totals) {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
        await signInBy(context, await platform.command('sign-in-link.ts'));
        const page = await context.newPage();
        await serveContacts(page, { total, atOnce: 25_000 });
        await page.goto(`${platform.url}/contacts`);
        await loadAll(page, total);
        const { frames, onPage } = await scroll(page);
        const [median, p95, worst] = [0.5, 0.95, 1].map((q) => quantile(frames, q).toFixed(1));
        rows.push(`| ${total.toLocaleString('en')} | ${median} | ${p95} | ${worst} | ${onPage} |`);
        await context.close();
      }
      const text = [
        '### Dashboard: scrolling through a list of contacts',
        '',
        `${machine()}, ${await servers()}; Chromium drawing in software, ${steps} steps of ${stepPixels} px, one per frame.`,
        '',
        '| rows loaded | frame, ms, median | 95 % | worst | rows on the page at most |',
        '|---|---|---|---|---|',
        ...rows,
      ].join('\n');
      console.log(`\n${text}`);
      await keepResults('dashboard-list', text);
    } finally {
      await browser.close();
    }
  },
  { services: ['gateway'] },
);

async function loadAll(page: Page, total: number) {
  const last = page.getByRole('link', { name: `Number ${total}`, exact: true });
  await page.getByRole('link', { name: 'Number 1', exact: true }).waitFor();
  while ((await last.count()) === 0) await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
}

/** Scrolls down, and up again from the end, one step per frame. */
function scroll(page: Page) {
  return page.evaluate(
    async ({ steps: count, stepPixels: by }) => {
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      window.scrollTo(0, 0);
      await frame();
      const end = document.documentElement.scrollHeight - window.innerHeight;
      const frames: number[] = [];
      let [onPage, direction, before] = [0, 1, await frame()];
      for (let step = 0; step < count; step += 1) {
        if (window.scrollY + by > end) direction = -1;
        if (window.scrollY < by) direction = 1;
        window.scrollBy(0, direction * by);
        const now = await frame();
        frames.push(now - before);
        before = now;
        onPage = Math.max(onPage, document.querySelectorAll('[role="row"]').length);
      }
      return { frames: frames.sort((a, b) => a - b), onPage };
    },
    { steps, stepPixels },
  );
}
