import { test } from 'node:test';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { fillWithDemo } from './demo.ts';
import { everyAppearance, everyPage } from './every-page.ts';
import { createOpen, signIn } from './journey.ts';

/** Beside the fault tests because it takes minutes: `journeys.test.ts` walks the same way in one appearance. */
test('every page in every appearance', { skip: withoutBrowser, timeout: 600_000 }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const demo = await fillWithDemo(client);
  const open = await createOpen(t, platform, browser, signIn(browser, platform.command('sign-in-link.ts')));
  await everyPage(t, { platform, client, browser, demo, open }, everyAppearance);
});
