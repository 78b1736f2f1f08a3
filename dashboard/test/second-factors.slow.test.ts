import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { openBrowser, openWindow, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';

const minuteMs = 60_000;
const password = 'a long and unlikely sentence';

/** The code of an authenticator app, in steps of 30 s from now (RFC 6238). */
function codeOf(secret: string, steps = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  return String((digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A passkey in the browser that verifies the user without asking. */
async function addAuthenticator(context: BrowserContext, page: Page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  });
}

/** Second factors in a real browser, with a virtual authenticator, against the real gateway. */
test('second factors', { skip: withoutBrowser }, async (t) => {
  const options = { services: ['gateway'], publicHost: 'localhost' } as const;
  const [platform, browser] = await Promise.all([startPlatform(t, options), openBrowser(t), builtDashboard()]);
  const window = await openWindow(t, browser, platform.url);
  const found: Found = {};
  let secret = '';

  const opened = async (t: TestContext) => (await window.open(t)).page;
  const overview = (page: Page) => page.getByRole('button', { name: /^Account: / }).waitFor();
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  const signIn = async (page: Page, email = 'owner@example.com') => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  /** Adds an authenticator app in the dialog or page that asks for it, and stores the recovery codes. */
  async function addApp(page: Page) {
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const key = (
      await page
        .locator('code')
        .filter({ hasText: /^(?:[A-Z2-7]{4} ?){8}$/ })
        .innerText()
    ).replaceAll(' ', '');
    await lookAt(page, 'adding an app', found);
    assert.equal(await page.getByLabel('Code', { exact: true }).getAttribute('autocomplete'), 'one-time-code');
    await page.getByLabel('Code', { exact: true }).fill(codeOf(key, -1));
    await page.getByRole('button', { name: 'Add app' }).click();
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    assert.equal(codes.length, 10);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download codes' }).click();
    assert.equal(await readFile(await (await saved).path(), 'utf8'), `${codes.join('\n')}\n`);
    await lookAt(page, 'recovery codes', found);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    return { key, codes };
  }

  await t.test('a user adds an authenticator app, and signs in with its code or with a recovery code', async (t) => {
    const page = await opened(t);
    await page.goto(await platform.command('sign-in-link.ts'));
    await overview(page);
    await page.goto(`${platform.url}/you`);
    await page.getByLabel('Email', { exact: true }).fill('owner@example.com');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your password is set.').first().waitFor();
    const other = await openWindow(t, browser, platform.url);
    const { page: early } = await other.open(t);
    await early.goto(`${platform.url}/sign-in`);
    await signIn(early);
    await overview(early);
    const { key, codes } = await addApp(page);
    secret = key;
    await page.getByText('10 left').waitFor();

    await signOut(page);
    await signIn(page);
    await page.getByLabel('Code', { exact: true }).waitFor();
    await lookAt(page, 'second step', found);
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await overview(page);

    await signOut(page);
    await signIn(page);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This recovery code is wrong').waitFor();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await page.keyboard.press('Enter');
    await overview(page);

    await early.goto(`${platform.url}/contacts`);
    const confirm = early.getByRole('dialog', { name: "Confirm that it's you" });
    await confirm.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await early.keyboard.press('Enter');
    await confirm.waitFor({ state: 'hidden' });
    await early.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
  });

  await t.test('a passkey is added, signs in alone, and confirms what cannot be undone', async (t) => {
    const page = await opened(t);
    await addAuthenticator(window.context, page);
    await page.goto(`${platform.url}/you`);
    await page.getByText('9 left').waitFor();
    await page.getByText(/via password and recovery code/).waitFor();
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Laptop');
    await page.getByRole('button', { name: 'Create passkey' }).click();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Work laptop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Work laptop' }).waitFor();

    await signOut(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await overview(page);

    await platform.moveClock(20 * minuteMs);
    await page.goto(`${platform.url}/settings/api-keys`);
    await page.getByRole('button', { name: 'Generate New Key' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reports');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click();
    const confirm = page.getByRole('dialog', { name: "Confirm that it's you" });
    await confirm.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await lookAt(page, 'confirming', found);
    await confirm.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
  });

  await t.test('a user of an account that requires a second factor sees nothing else until one is added', async (t) => {
    const page = await opened(t);
    await page.goto(`${platform.url}/settings/account`);
    await page.getByRole('combobox', { name: 'Authenticator app or passkey' }).click();
    await page.getByRole('option', { name: 'Required for all users' }).click();
    await page.getByText('Saved.').first().waitFor();
    const admin = await platform.client('--permission', 'admin');
    const { invitation_url } = (await admin.post('/v2/settings/users', { email: 'grace@example.com', role: 'viewer' })).data;

    const other = await openWindow(t, browser, platform.url);
    const { page: theirs } = await other.open(t);
    await theirs.goto(invitation_url);
    await theirs.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await theirs.goto(`${platform.url}/contacts`);
    await theirs.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await lookAt(theirs, 'adding one is required', found);
    await addAuthenticator(other.context, theirs);
    await theirs.getByRole('button', { name: 'Add passkey' }).click();
    await theirs.getByRole('button', { name: 'Create passkey' }).click();
    await theirs.getByRole('button', { name: 'I have stored them' }).click();
    await overview(theirs);
  });

  assert.deepEqual(found, {});
});
