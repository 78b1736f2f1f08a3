import { mkdir, stat } from 'node:fs/promises';
import { eventually } from '@mp/test-kit/eventually';
import { chromium } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { executablePath, flags } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { fillWithDemo } from './demo.ts';
import { signInBy } from './journey.ts';
import { pagesOf, settled } from './pages.ts';
import { readEmails } from './readers.ts';

/** `npm run screenshots -w @mp/dashboard`: takes a screenshot of every page, on a separate platform with demo data. */
const folder = new URL('../../docs/screenshots/', import.meta.url).pathname;
const cleanUps: (() => Promise<unknown>)[] = [];

try {
  const [platform] = await Promise.all([startPlatform({ after: (cleanUp) => cleanUps.push(cleanUp) }), builtDashboard()]);
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: flags });
  cleanUps.push(() => browser.close());
  const client = await platform.client('--permission', 'admin', '--name', 'Shop backend');
  const demo = await fillWithDemo(client, 'Zoë Example');
  await readEmails(platform.url);
  await eventually(async () => (await client.get(`/v2/campaigns/${demo.sent.id}/analytics`)).data.counts.clicked.unique.human > 5);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', colorScheme: 'light' });
  await signInBy(context, await platform.command('sign-in-link.ts'));
  const page = await context.newPage();
  // Of the first steps, only the sending domain is not done.
  await page.goto(platform.url);
  await page.getByRole('region', { name: 'First steps' }).getByRole('button', { name: 'Hide' }).click();
  await page.waitForLoadState('networkidle');
  await mkdir(folder, { recursive: true });

  const take = async (name: string) => {
    const path = `${folder}${name}.png`;
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
    console.log(`${name}.png ${Math.round((await stat(path)).size / 1_000)} kB`);
  };
  for (const [name, path] of Object.entries(await pagesOf(client, demo))) {
    await page.goto(platform.url + path);
    await settled(page);
    // The stream of the live page stays open.
    await page.waitForLoadState(name === 'leadpulse-live' ? 'load' : 'networkidle');
    await take(name);
  }

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(platform.url);
  await settled(page);
  await page.waitForLoadState('networkidle');
  await take('overview-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${platform.url}/settings/api-keys`);
  await page.getByRole('button', { name: 'Generate New Key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Website backend');
  await take('settings-api-keys-new');
  await page.goto(`${platform.url}/workflows/${demo.welcome.id}/simulate`);
  await page.getByLabel('Big team?').selectOption('seats is at least 8');
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByRole('region', { name: 'Path', exact: true }).waitFor();
  await take('workflow-simulate');
  await page.goto(`${platform.url}/campaigns/templates`);
  await page.getByRole('button', { name: 'Start from an example' }).click();
  await page.getByRole('button', { name: 'Newsletter' }).click();
  await page.locator('[contenteditable=true] h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await take('email-editor');
  await page.goto(`${platform.url}/t/mailbox`);
  await take('mailbox');
  await context.clearCookies();
  await page.goto(`${platform.url}/sign-in`);
  await settled(page);
  await take('sign-in');
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}
