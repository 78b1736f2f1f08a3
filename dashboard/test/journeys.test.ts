import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Client, startPlatform } from '../../tests/platform.ts';
import { account } from './account.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { campaigns } from './campaigns.ts';
import { contactHistory } from './contact-history.ts';
import { contacts } from './contacts.ts';
import { fillWithDemo } from './demo.ts';
import { emptyPages, everyPage } from './every-page.ts';
import { files } from './files.ts';
import { createOpen, type Journey, signIn } from './journey.ts';
import { leadpulse } from './leadpulse.ts';
import { names } from './names.ts';
import { segments } from './segments.ts';
import { unsaved } from './unsaved.ts';
import { workflows } from './workflows.ts';

/** What marketers do, in a real browser against the whole platform, in an account of some weeks. */
test('journeys through the dashboard', { skip: withoutBrowser, timeout: 600_000, concurrency: 3 }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  const client = await platform.client('--permission', 'admin');
  const [demo, owner] = await Promise.all([
    fillWithDemo(client),
    signIn(browser, platform.command('sign-in-link.ts')),
    t.test('in an account where nothing is yet', async (t) => {
      const client = await platform.client('--permission', 'admin', '--account', 'newcomers');
      const open = await createOpen(t, platform, browser, signIn(browser, invited(client)));
      await emptyPages(t, open);
      await account(t, { open, client });
    }),
  ]);

  /** Journeys one after the other in a window of theirs, beside the others. */
  const along = (name: string, ...journeys: ((t: TestContext, journey: Journey) => Promise<void>)[]) =>
    t.test(name, async (t) => {
      const open = await createOpen(t, platform, browser, Promise.resolve(owner));
      for (const journey of journeys) await journey(t, { platform, client, browser, demo, open });
    });
  await Promise.all([
    along('every page', everyPage, unsaved, names),
    along('people', contacts, contactHistory, files),
    along('what is done with them', segments, campaigns, leadpulse, workflows),
  ]);
});

/** The link of somebody who is invited. */
async function invited(client: Client): Promise<string> {
  const { status, data } = await client.post('/v2/settings/users', { email: 'new@example.com', name: 'Noor', role: 'admin' });
  assert.equal(status, 201);
  return data.invitation_url;
}
