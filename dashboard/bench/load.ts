import { readFile, stat } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { compare, machine } from '../../bench/compare.ts';
import { servers } from '../../bench/contacts-results.ts';
import { withPlatform } from '../../bench/platform.ts';
import { keepResults } from '../../bench/results.ts';
import { executablePath, flags } from '../test/browser.ts';
import { builtDashboard } from '../test/built-dashboard.ts';
import { signInBy } from '../test/journey.ts';

const dist = new URL('../dist', import.meta.url).pathname;

/** Measures the time until Settings → API Keys responds to a click, and the size of its scripts. */
await withPlatform(async (platform) => {
  await builtDashboard();
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
  try {
    const visit = async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await signInBy(context, await platform.command('sign-in-link.ts'));
      return context;
    };
    /** Milliseconds from the start of the navigation, measured in the page, until a click on the button opens the form. */
    const interactive = async (context: Awaited<ReturnType<typeof visit>>) => {
      const page = await context.newPage();
      await page.addInitScript(() => {
        const look = () => {
          const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Generate New Key');
          if (button && document.querySelector('[role="dialog"]')) performance.mark('interactive');
          else {
            button?.click();
            requestAnimationFrame(look);
          }
        };
        look();
      });
      await page.goto(`${platform.url}/settings/api-keys`, { waitUntil: 'commit' });
      const entry = await page.waitForFunction(() => performance.getEntriesByName('interactive')[0]?.startTime);
      const ms = await entry.jsonValue();
      await page.close();
      return ms ?? Number.NaN;
    };

    const returning = await visit();
    const figures = await compare('Settings → API Keys, until a click opens the form', 'ms', [
      {
        name: 'first visit, nothing cached',
        run: async () => {
          const context = await visit();
          const ms = await interactive(context);
          await context.close();
          return ms;
        },
      },
      { name: 'another visit', run: () => interactive(returning) },
    ]);

    const script = await scriptOf(await visit(), platform.url);
    const lines = [...figures].map(
      ([name, { median, min, max }]) => `| ${name} | ${Math.round(median)} | ${Math.round(min)} – ${Math.round(max)} |`,
    );
    const text = [
      '### Dashboard: first load',
      '',
      `${machine()}, ${await servers()}, ${new Date().toISOString().slice(0, 10)}. \`npm run bench -- dashboard-load\`.`,
      '',
      '| Settings → API Keys, until a click opens the form | ms, median | spread |',
      '|---|---|---|',
      ...lines,
      '',
      `Script, gzip: ${kB(script.first)} for the first page, ${kB(script.all)} for every page (loaded once the first is idle).`,
    ].join('\n');
    console.log(`\n${text}`);
    await keepResults('dashboard-load', text);
  } finally {
    await browser.close();
  }
});

/** The gzip size in bytes of the scripts the page loads: before it is idle, and in total. */
async function scriptOf(context: import('playwright-core').BrowserContext, url: string) {
  const sizeOf = async (paths: readonly string[]) =>
    (await Promise.all(paths.map(async (path) => (await stat(`${dist}${path}.gz`)).size))).reduce((sum, size) => sum + size, 0);
  const scripts = async (isIdle: boolean) => {
    const page = await context.newPage();
    const paths = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) paths.add(pathname);
    });
    if (!isIdle) await page.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }));
    await page.goto(`${url}/settings/api-keys`);
    await page.getByRole('button', { name: 'Generate New Key' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.close();
    return [...paths];
  };
  const first = await scripts(false);
  if (!(await readFile(`${dist}/index.html`, 'utf8')).includes(first[0] ?? '?'))
    throw new Error('the page that was measured is not the one that was built');
  return { first: await sizeOf(first), all: await sizeOf(await scripts(true)) };
}

function kB(size: number) {
  return `${(size / 1_000).toFixed(0)} kB`;
}
