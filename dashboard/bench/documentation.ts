import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildDocumentation } from '@mp/local-infra/built-pages';
import { type Browser, chromium } from 'playwright-core';
import { compare, machine } from '../../bench/compare.ts';
import { servers } from '../../bench/contacts-results.ts';
import { withPlatform } from '../../bench/platform.ts';
import { keepResults } from '../../bench/results.ts';
import { executablePath, flags } from '../test/browser.ts';

const show = (ms: number) => Math.round(ms).toLocaleString('en');
const pages = ['/docs/', '/docs/guides/quickstart', '/docs/guides/shop', '/docs/changelog'];

const root = fileURLToPath(new URL('../../', import.meta.url));
const logs = `${root}.data/test/logs`;
mkdirSync(logs, { recursive: true });
await buildDocumentation(root, logs, console.log);

/** Measures how long a page of the documentation takes until its text is there, for somebody who has nothing of it yet. */
await withPlatform(
  async (platform) => {
    const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
    try {
      const figures = await compare(
        'A page of the documentation, until its largest part is painted',
        'ms',
        pages.map((path) => ({ name: path, run: () => readable(browser, platform.url + path) })),
      );
      const rows = [...figures].map(([path, { median, min, max }]) => `| ${path} | ${show(median)} | ${show(min)} – ${show(max)} |`);
      const text = [
        '### Documentation: until a page can be read',
        '',
        `${machine()}, ${await servers()}; nothing cached; the largest contentful paint of Chromium. Target: 1,000 ms. \`npm run bench -- documentation-load\`.`,
        '',
        '| page | ms, median | spread |',
        '|---|---|---|',
        ...rows,
      ].join('\n');
      console.log(`\n${text}`);
      await keepResults('documentation-load', text);
    } finally {
      await browser.close();
    }
  },
  { services: ['gateway'] },
);

/** Milliseconds from the start of the navigation to the largest contentful paint (https://web.dev/articles/lcp). */
async function readable(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  const ms = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        }),
      ),
  );
  await context.close();
  return ms;
}
