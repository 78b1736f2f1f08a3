import { test } from 'node:test';
import { startPlatform } from '../../../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { campaigns } from './campaigns.ts';
import { contacts } from './contacts.ts';
import { fillWithDemo } from './demo.ts';
import { createOpen } from './journey.ts';
import { leadpulse } from './leadpulse.ts';
import { segments } from './segments.ts';
import { workflows } from './workflows.ts';

/** What marketers do, in a real browser against the whole platform, in an account of some weeks. */
test('journeys through the dashboard', { skip: withoutBrowser, timeout: 180_000 }, async (t) => {
  const [platform] = await Promise.all([startPlatform(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const browser = await openBrowser(t);
  const open = await createOpen(t, platform, browser);
  const demo = await fillWithDemo(client);
  const journey = { platform, client, browser, open, demo };

  await contacts(t, journey);
  await segments(t, journey);
  await campaigns(t, journey);
  await leadpulse(t, journey);
  await workflows(t, journey);
});
