import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import type { Page } from 'playwright-core';
import { startIdentityProvider } from '../../services/gateway/test/start-identity-provider.ts';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { endsHangingActionMs, openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

/** Single sign-on with the page of a real OpenID provider, in a real browser against the real gateway. */
test('single sign-on', { skip: withoutBrowser }, async (t) => {
  const env = { SINGLE_SIGN_ON_ALLOW_PRIVATE: 'true' };
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'], env }), openBrowser(t), builtDashboard()]);
  const idp = await startIdentityProvider(t);
  const open = await createOpen(t, platform, browser);
  const client = await platform.client('--permission', 'admin');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const domains = mongo.db(`${platform.namespace}_gateway`).collection('domains');
  idp.people.set('ada', { email: 'ada@acme.example', email_verified: true, name: 'Ada Lovelace' });

  /** A browser in which nobody is signed in. It may leave the platform, for the page of the provider. */
  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    t.after(() => context.close());
    context.setDefaultTimeout(endsHangingActionMs);
    // The page of the provider imports a font.
    await context.route('https://fonts.googleapis.com/**', (route) => route.abort());
    return context.newPage();
  }

  async function signInAtProvider(page: Page, subject: string) {
    await page.getByPlaceholder('Enter any login').fill(subject);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
  }

  await t.test('an administrator adds a provider by keyboard, copies its redirect URL, and verifies a domain', async (t) => {
    const { page } = await open(t, '/settings/single-sign-on');
    await page.getByRole('button', { name: 'New provider' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Acme');
    await dialog.getByLabel('Issuer').fill('http://127.0.0.1:9');
    await dialog.getByLabel('Client ID').fill(idp.client.client_id);
    await dialog.getByLabel('Client secret', { exact: true }).fill(idp.client.client_secret);
    await dialog.getByLabel('Client secret', { exact: true }).press('Enter');
    await dialog.getByText(/The settings of .* could not be read: no response from 127.0.0.1:9/).waitFor();
    await dialog.getByLabel('Issuer').fill(idp.issuer);
    await dialog.getByLabel('Issuer').press('Enter');
    const provider = page.getByRole('region', { name: 'Acme', exact: true });
    await provider.getByText('Enabled').waitFor();
    await provider.getByRole('button', { name: 'Copy: Redirect URL of Acme' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [created] = (await client.get('/v2/settings/identity-providers')).data.items;
    assert.deepEqual([copied, created.just_in_time, created.default_role], [created.redirect_uri, true, 'viewer']);
    idp.allow(copied);

    await page.getByLabel('Domain', { exact: true }).fill('acme.example');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const domain = page.getByRole('region', { name: 'acme.example' });
    await domain.getByText('_marketing-platform.acme.example').waitFor();
    const verified = page.waitForResponse((response) => response.url().endsWith('/verify'));
    await domain.getByRole('button', { name: 'Verify acme.example' }).click();
    assert.equal((await verified).status(), 200);
    await domain.getByText('Not verified yet').waitFor();
    // The tests have no name server of this domain; the lookup itself is tested in the gateway.
    await domains.updateOne({ domain: 'acme.example' }, { $set: { verified_at: new Date() } });
    await page.reload();
    await domain.getByText('Verified', { exact: true }).waitFor();
    const found: Found = {};
    await lookAt(page, 'settings', found);
    assert.deepEqual(found, {});
  });

  await t.test('a user signs in with the work email at the page of the provider, and returns to the page that was wanted', async () => {
    const page = await newPage();
    await page.goto(`${platform.url}/segments`);
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    const found: Found = {};
    await lookAt(page, 'sign-in', found);
    assert.deepEqual(found, {});
    await page.getByLabel('Work email').fill('ada@acme.example');
    await page.getByLabel('Work email').press('Enter');
    await signInAtProvider(page, 'ada');
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Account: Ada Lovelace/ }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/segments');
  });

  await t.test('the sign-in page says why a sign-in failed', async () => {
    idp.people.set('eve', { email: 'eve@elsewhere.example', email_verified: true });
    const page = await newPage();
    const [{ sign_in_url }] = (await client.get('/v2/settings/identity-providers')).data.items;
    await page.goto(sign_in_url);
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await signInAtProvider(page, 'eve');
    await page.getByRole('alert').getByText('Ask your administrator for an invitation').waitFor();
  });

  await t.test('when it is required, an invitation link continues with single sign-on, and links the invited user', async (t) => {
    const { page: admin } = await open(t, '/settings/single-sign-on');
    await admin.getByRole('switch', { name: 'Require single sign-on' }).click({ force: true });
    await admin.getByRole('dialog').getByRole('button', { name: 'Require single sign-on' }).click();
    await admin.getByText('Saved.').first().waitFor();
    assert.equal((await client.get('/v2/settings/account')).data.single_sign_on, 'required');
    const invited = await client.post('/v2/settings/users', { email: 'eve@elsewhere.example', name: 'Eve', role: 'editor' });
    const page = await newPage();
    await page.goto(invited.data.invitation_url);
    await page.getByText('This account requires single sign-on').waitFor();
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await signInAtProvider(page, 'eve');
    await page.getByRole('button', { name: /^Account: Eve/ }).waitFor();
    assert.equal((await client.get(`/v2/settings/users/${invited.data.id}`)).data.status, 'active');
  });
});
