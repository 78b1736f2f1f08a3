import { type TestContext, test } from 'node:test';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { campaigns } from './campaigns.ts';
import { contactHistory } from './contact-history.ts';
import { contacts } from './contacts.ts';
import { fillWithDemo } from './demo.ts';
import { emails } from './emails.ts';
import { files } from './files.ts';
import { createOpen, type Journey, signIn } from './journey.ts';
import { leadpulse } from './leadpulse.ts';
import { overview } from './overview.ts';
import { palette } from './palette.ts';
import { segments } from './segments.ts';
import { workflows } from './workflows.ts';

/** What marketers do, in a real browser against the whole platform, in an account with demo data. */
test('journeys through the dashboard', { skip: withoutBrowser, timeout: 600_000, concurrency: 2 }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const [demo, owner] = await Promise.all([fillWithDemo(client), signIn(browser, platform.command('sign-in-link.ts'))]);

  /** Runs journeys one after another in one window, in parallel with other windows. */
  const along = (name: string, ...journeys: ((t: TestContext, journey: Journey) => Promise<void>)[]) =>
    t.test(name, async (t) => {
      const open = await createOpen(t, platform, browser, Promise.resolve(owner));
      for (const journey of journeys) await journey(t, { platform, client, browser, demo, open });
    });
  await Promise.all([
    along('contacts', contacts, contactHistory, files, palette, overview),
    along('marketing', segments, campaigns, emails, leadpulse, workflows),
  ]);
});
