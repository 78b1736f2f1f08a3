import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../tests/client.ts';
import { startPlatform } from '../../tests/platform.ts';
import { account } from './account.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { fillWithDemo } from './demo.ts';
import { emptyPages, everyPage } from './every-page.ts';
import { createOpen, signIn } from './journey.ts';
import { names } from './names.ts';
import { firstSteps } from './overview.ts';
import { unsaved } from './unsaved.ts';

/** Guarantees of every page and editor, in a real browser against the whole platform. */
test('every page', { skip: withoutBrowser, concurrency: 2 }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t), openBrowser(t), builtDashboard()]);
  await Promise.all([
    t.test('in an empty account', async (t) => {
      const client = await platform.client('--permission', 'admin', '--account', 'newcomers');
      const open = await createOpen(t, platform, browser, signIn(browser, invited(client)));
      await emptyPages(t, { open, client });
      await account(t, { open, client, platform });
      await firstSteps(t, { open, client });
    }),
    t.test('in an account with demo data', async (t) => {
      const client = await platform.client('--permission', 'admin');
      const demo = await fillWithDemo(client);
      const open = await createOpen(t, platform, browser, signIn(browser, platform.command('sign-in-link.ts')));
      for (const journey of [everyPage, unsaved, names]) await journey(t, { platform, client, browser, demo, open });
    }),
  ]);
});

/** Invites a user and returns the sign-in link. */
async function invited(client: Client): Promise<string> {
  const { status, data } = await client.post('/v2/settings/users', { email: 'new@example.com', name: 'Noor', role: 'admin' });
  assert.equal(status, 201);
  return data.invitation_url;
}
