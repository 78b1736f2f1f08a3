import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, openPage, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';
import { createInSight, tryToLeave } from './secret-dialog.ts';

/** Passwords, sessions, the team, OAuth clients and the audit log, in a real browser against the real gateway. */
test('settings', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'] }), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const password = 'a long and unlikely sentence';

  const signInForm = async (t: TestContext) => {
    const opened = await openPage(t, browser, platform.url);
    await opened.page.goto(`${platform.url}/sign-in`);
    return opened;
  };

  await t.test('a user who signed in with a link sets a password and signs in with it', async (t) => {
    const { page } = await open(t, '/');
    await page.getByRole('link', { name: 'Set a password' }).click();
    await page.getByLabel('Email', { exact: true }).fill('owner@example.com');
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('expected at least 12 characters').first().waitFor();
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your password is set.').waitFor();

    const other = await signInForm(t);
    await other.page.getByLabel('Email', { exact: true }).fill('owner@example.com');
    await other.page.getByLabel('Password', { exact: true }).fill('wrong');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('alert').getByText('The email address or password is wrong.').waitFor();
    await other.page.getByLabel('Password', { exact: true }).fill(password);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('button', { name: /^Account: Owner/ }).waitFor();

    await t.test('signs out the other session', async () => {
      await page.reload();
      await page.getByText('via password').waitFor();
      await page.getByRole('button', { name: 'Sign out other sessions' }).click();
      await page.getByText('via password').waitFor({ state: 'detached' });
      // The other page notices it on the next navigation, or earlier when it refetches automatically.
      const ended = other.page.getByText('Your session has ended');
      await other.page.getByRole('link', { name: 'API Keys' }).or(ended).first().click();
      await ended.waitFor();
    });
  });

  await t.test('a user who forgot the password requests a link, or learns how to get one', async (t) => {
    const { page } = await signInForm(t);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email', { exact: true }).fill('owner@example.com');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText(/a link is on its way|npm run user/).waitFor();
  });

  await t.test('invites a Viewer, who sees no settings and no write actions, and removes them', async (t) => {
    const { page } = await open(t, '/settings/team');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email', { exact: true }).fill('vera@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Vera');
    await page.getByLabel('Viewer').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByText(/\/sign-in#token=/).innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /Vera.*Viewer.*Invited/ }).waitFor();

    const vera = await openPage(t, browser, platform.url);
    await vera.page.goto(link);
    await vera.page.getByRole('button', { name: /^Account: Vera/ }).waitFor();
    assert.equal(await vera.page.getByRole('link', { name: 'Settings', exact: true }).count(), 0);
    await vera.page.goto(`${platform.url}/contacts`);
    await vera.page.getByRole('heading', { name: 'Contacts' }).waitFor();
    assert.equal(await vera.page.getByRole('link', { name: 'New contact' }).count(), 0);
    await vera.page.goto(`${platform.url}/settings/api-keys`);
    await vera.page.getByRole('alert').first().waitFor();

    await page.getByRole('button', { name: 'Actions for Vera' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Vera was removed.').waitFor();
    await vera.page.goto(`${platform.url}/contacts`);
    await vera.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  await t.test('shows the link of an invitation that is being created, and keeps it until it is confirmed', async (t) => {
    const { page } = await open(t, '/settings/audit-log');
    // Navigates inside the application: Back from a page opened by URL would leave the document.
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { name: 'Team' }).waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v2/settings/users', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    const dialog = page.getByRole('dialog');
    const link = dialog.getByText(/\/sign-in#token=/);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email', { exact: true }).fill('ida@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Ida');
    const requested = page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await requested;
    await tryToLeave(page);
    release();
    const first = await link.innerText();
    await tryToLeave(page);
    assert.equal(await link.innerText(), first);
    await page.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });

    const { promise: renewed, resolve: renew } = Promise.withResolvers<void>();
    await page.route('**/invite', async (route) => {
      await renewed;
      await route.continue();
    });
    const secondRequest = page.waitForRequest((request) => request.url().endsWith('/invite'));
    await page.getByRole('button', { name: 'Actions for Ida' }).click();
    await page.getByRole('menuitem', { name: 'New invitation link' }).click();
    await secondRequest;
    await tryToLeave(page);
    renew();
    assert.notEqual(await link.innerText(), first);
    await page.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  await t.test('creates an OAuth client that gets a token, and is rejected once revoked', async (t) => {
    const { page } = await open(t, '/settings/oauth-clients');
    await page.getByText('No OAuth clients yet').waitFor();
    await page.getByRole('button', { name: 'New client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.getByRole('button', { name: 'Create client' }).click();
    const id = await page.getByLabel('Client ID').inputValue();
    const secret = await page.getByLabel('Client secret', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const token = () =>
      fetch(`${platform.url}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    assert.equal((await token()).status, 200);
    await page.getByRole('button', { name: 'Revoke Shop' }).click();
    await page.getByRole('button', { name: 'Revoke client' }).click();
    await page.getByText('Shop was revoked.').waitFor();
    assert.equal((await token()).status, 401);
  });

  await t.test('keeps the secret of an OAuth client on screen until it is stored, even while it is created or rotated', async (t) => {
    const { page } = await open(t, '/settings/audit-log');
    await page.getByRole('link', { name: 'OAuth clients' }).click();
    await page.getByRole('button', { name: 'New client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Till');
    const created = await createInSight(page, {
      path: '**/v2/settings/oauth-clients',
      label: 'Client secret',
      create: () => page.getByRole('button', { name: 'Create client' }).click(),
    });
    await page.getByRole('button', { name: 'Rotate Till' }).click();
    const rotated = await createInSight(page, {
      path: '**/v2/settings/oauth-clients/*/rotate',
      label: 'Client secret',
      create: () => page.getByRole('button', { name: 'Rotate secret' }).click(),
    });
    assert.notEqual(rotated, created);
  });

  await t.test('records all of it in the audit log, with the user', async (t) => {
    const { page } = await open(t, '/settings/audit-log');
    await page.getByRole('row', { name: /Owner.*revoked an OAuth client/ }).waitFor();
    await page.getByLabel('Action').selectOption('invited a user');
    await page.getByRole('row', { name: /Owner.*invited a user.*vera@example.com/ }).waitFor();
    await page.getByText('revoked an OAuth client', { exact: true }).locator('visible=true').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('status').getByText('entries are as they were written').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    assert.equal((await saved).suggestedFilename(), 'audit-log.csv');

    const mongo = await MongoClient.connect(platform.infra.mongoUrl);
    t.after(() => mongo.close());
    const rows = mongo.db(`${platform.namespace}_gateway`).collection('audit_log');
    const changed = await rows.updateOne({ sequence: 2 }, { $set: { actor_id: 'user_x' } });
    assert.equal(changed.modifiedCount, 1);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('alert').getByText('Entry 2 was changed after it was written.').waitFor();
  });

  await t.test('shows the usage of today and of the last thirty days', async (t) => {
    const client = await platform.client('--permission', 'read_only');
    await client.get('/v2/me');
    const { page } = await open(t, '/settings/usage');
    await page.getByRole('region', { name: 'Today' }).getByText('Enterprise').waitFor();
    // A flat line has no height, so Playwright treats it as hidden.
    await page.locator('.recharts-area-curve').first().waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('table', { name: 'Requests by day' }).getByRole('rowheader').count(), 30);
  });
});
