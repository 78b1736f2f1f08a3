import { type TestContext, test } from 'node:test';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { fillWithDemo } from './demo.ts';
import { createOpen, type Journey, signIn } from './journey.ts';

/** What marketers do, one journey after another in one window, against the whole platform, in an account with demo data. */
export const testJourneys = (name: string, ...journeys: ((t: TestContext, journey: Journey) => Promise<void>)[]) =>
  test(name, { skip: withoutBrowser }, async (t) => {
    const [platform, browser] = await Promise.all([
      startPlatform(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }),
      openBrowser(t),
      builtDashboard(),
    ]);
    const client = await platform.client('--permission', 'admin');
    const [demo, owner] = await Promise.all([fillWithDemo(client), signIn(browser, platform.command('sign-in-link.ts'))]);
    const open = await createOpen(t, platform, browser, Promise.resolve(owner));
    for (const journey of journeys) await journey(t, { platform, client, browser, demo, open });
  });
