import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

test('all sending stops with one click, every page says so, and it resumes', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const open = await createOpen(t, platform, browser);
  const isPaused = async () => (await client.get('/v2/campaigns/settings')).data.sending_paused;
  const { page } = await open(t, '/settings/sending');
  await page.getByRole('button', { name: 'Stop all sending' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'All sending is stopped' });
  await banner.waitFor();
  await eventually(isPaused);
  await page.goto(`${platform.url}/contacts`);
  await banner.waitFor();
  await page.getByRole('button', { name: 'Resume sending' }).focus();
  await page.keyboard.press('Enter');
  await banner.waitFor({ state: 'detached' });
  await eventually(async () => !(await isPaused()));
});
