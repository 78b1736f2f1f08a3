import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from '../../tests/mail-sink.ts';
import { startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

/** The address that a user signs in with, and how long a session lasts, in a real browser against the real gateway and mail server. */
test('sign-in address', { skip: withoutBrowser }, async (t) => {
  const sink = await startMailSink(t);
  const env = { SMTP_URL: sink.url };
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'], env }), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const password = 'a long and unlikely sentence';

  await t.test('a user changes the address, confirms it with the emailed link, and signs in with it', async (t) => {
    const { page } = await open(t, '/you');
    const set = async (email: string) => {
      await page.getByLabel('Email', { exact: true }).fill(email);
      await page.getByLabel('New password', { exact: true }).fill(password);
      await page.getByRole('button', { name: /^(Set|Change) password$/ }).click();
    };
    await set('first@example.com');
    await page.getByText('Your password is set.').first().waitFor();
    await set('second@example.com');
    await page.getByText('Confirm second@example.com with the link that we have sent there').waitFor();
    const mail = await eventually(async () => sink.to('second@example.com')[0]);
    const link = /\S+\/confirm-email#token=\S+/.exec(mail.text ?? '')?.[0] ?? '';
    await page.goto(`${platform.url}${new URL(link).pathname}${new URL(link).hash}`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('You now sign in with second@example.com.').waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the token is not in the history');
    const signedIn = async (email: string) =>
      (await page.request.post(`${platform.url}/auth/sign-in`, { data: { email, password } })).status();
    assert.deepEqual([await signedIn('first@example.com'), await signedIn('second@example.com')], [401, 200]);
  });

  await t.test('an administrator sets after how long unused sessions end, and input keeps a session', async (t) => {
    const { page } = await open(t, '/settings/account');
    await page.getByRole('combobox', { name: 'Sign out after' }).click();
    await page.getByRole('option', { name: '30 minutes' }).click();
    await page.getByText('Saved.').first().waitFor();
    await page.reload();
    const reported = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/auth/session'));
    await page.getByRole('heading', { name: 'Account' }).first().click();
    assert.equal((await (await reported).response())?.status(), 200);
    await page.getByRole('combobox', { name: 'Sign out after' }).and(page.locator('[value="30 minutes"]')).waitFor();
  });
});
