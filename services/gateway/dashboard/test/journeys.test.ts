import { test } from 'node:test';
import { startPlatform } from '../../../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { campaigns } from './campaigns.ts';
import { contactHistory } from './contact-history.ts';
import { contacts } from './contacts.ts';
import { fillWithDemo } from './demo.ts';
import { emptyPages, everyPage } from './every-page.ts';
import { files } from './files.ts';
import { createOpen } from './journey.ts';
import { leadpulse } from './leadpulse.ts';
import { segments } from './segments.ts';
import { workflows } from './workflows.ts';

/** What marketers do, in a real browser against the whole platform, in an account of some weeks. */
test('journeys through the dashboard', { skip: withoutBrowser, timeout: 300_000 }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const [client, open] = await Promise.all([platform.client('--permission', 'admin'), createOpen(t, platform, browser)]);
  await emptyPages(t, open);
  const demo = await fillWithDemo(client);
  const journey = { platform, client, browser, open, demo };

  await everyPage(t, journey);
  await contacts(t, journey);
  await contactHistory(t, journey);
  await files(t, journey);
  await segments(t, journey);
  await campaigns(t, journey);
  await leadpulse(t, journey);
  await workflows(t, journey);
});
