import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import type { Page } from 'playwright-core';
import { startIdentityProvider } from '../../services/gateway/test/start-identity-provider.ts';
import { codeOf } from '../../services/gateway/test/start-second-factors.ts';
import { startPlatform } from '../../tests/platform.ts';
import { type Found, lookAt } from './accessibility.ts';
import { endsHangingActionMs, openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';

/** An identity provider of the whole installation, in a real browser against the real gateway. */
test('an identity provider of the whole installation', { skip: withoutBrowser }, async (t) => {
  const idp = await startIdentityProvider(t);
  const providers = [{ id: 'acme', name: 'Acme', issuer: idp.issuer, ...idp.client }];
  const env = { IDENTITY_PROVIDERS: JSON.stringify(providers) };
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'], env }), openBrowser(t), builtDashboard()]);
  idp.allow(`${platform.url}/auth/single-sign-on/acme/callback`);
  const client = await platform.client('--permission', 'admin');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const found: Found = {};

  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    t.after(() => context.close());
    context.setDefaultTimeout(endsHangingActionMs);
    await context.route('https://fonts.googleapis.com/**', (route) => route.abort());
    return context.newPage();
  }

  async function signInAtProvider(page: Page, subject: string) {
    await page.getByPlaceholder('Enter any login').fill(subject);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
  }

  const invite = async (name: string) =>
    (await client.post('/v2/settings/users', { email: `${name.toLowerCase()}@elsewhere.example`, name, role: 'admin' })).data;

  await t.test('an invited user accepts with it, by keyboard, and signs in with it from then on', async () => {
    const invited = await invite('Ada');
    const page = await newPage();
    await page.goto(invited.invitation_url);
    await page.getByRole('button', { name: 'Continue with this link' }).waitFor();
    await lookAt(page, 'invitation', found);
    await page.getByRole('button', { name: 'Continue with Acme' }).press('Enter');
    await signInAtProvider(page, 'ada');
    await page.getByRole('button', { name: /^Account: Ada/ }).waitFor();
    const later = await newPage();
    await later.goto(`${platform.url}/settings/single-sign-on`);
    await later.getByRole('button', { name: 'Continue with Acme' }).waitFor();
    await lookAt(later, 'sign-in', found);
    await later.getByRole('button', { name: 'Continue with Acme' }).click();
    await signInAtProvider(later, 'ada');
    await later.getByRole('heading', { name: 'Single sign-on', level: 1 }).waitFor();
    await later.getByRole('region', { name: 'Providers of this installation' }).getByText('Acme').waitFor();
    await lookAt(later, 'settings', found);
  });

  await t.test('a user who has accepted in two accounts chooses one after coming back', async () => {
    await platform.command('account.ts', 'create', '--name', 'Studio', '--plan', 'starter');
    const studio = await platform.client('--permission', 'admin', '--account', 'Studio');
    const { data } = await studio.post('/v2/settings/users', { email: 'ada@studio.example', name: 'Ada of Studio', role: 'viewer' });
    const page = await newPage();
    await page.goto(data.invitation_url);
    await page.getByRole('button', { name: 'Continue with Acme' }).click();
    await signInAtProvider(page, 'ada');
    await page.getByRole('button', { name: /^Account: Ada of Studio/ }).waitFor();
    const later = await newPage();
    await later.goto(`${platform.url}/segments`);
    await later.getByRole('button', { name: 'Continue with Acme' }).click();
    await signInAtProvider(later, 'ada');
    await later.getByRole('button', { name: 'local Admin' }).waitFor();
    await lookAt(later, 'choice', found);
    await later.getByRole('button', { name: 'Studio Viewer' }).press('Enter');
    await later.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
    await later.getByRole('button', { name: /^Account: Ada of Studio/ }).waitFor();
  });

  await t.test("a user with a second factor proves it once, when the provider's identity is linked", async () => {
    const invited = await invite('Bob');
    const page = await newPage();
    await page.goto(invited.invitation_url);
    await page.getByRole('button', { name: 'Continue with this link' }).click();
    await page.getByRole('button', { name: /^Account: Bob/ }).waitFor();
    const post = (path: string, body: object) =>
      page.evaluate(
        async ([target, sent]) => {
          const session = await (await fetch('/auth/session')).json();
          const headers = { 'content-type': 'application/json', 'x-csrf-token': session.data.csrf_token };
          return (await fetch(target, { method: 'POST', headers, body: sent })).json();
        },
        [path, JSON.stringify(body)] as const,
      );
    const { data: app } = await post('/auth/second-factors/totp', { name: 'Phone' });
    await post('/auth/second-factors/totp/confirm', { id: app.id, code: codeOf(app.secret, -1) });

    await client.post('/v2/settings/domains', { domain: 'elsewhere.example' });
    // The tests have no name server of this domain.
    const domains = mongo.db(`${platform.namespace}_gateway`).collection('domains');
    await domains.updateOne({ domain: 'elsewhere.example' }, { $set: { verified_at: new Date() } });
    idp.people.set('bob', { email: 'bob@elsewhere.example', email_verified: true });
    const later = await newPage();
    await later.goto(`${platform.url}/segments`);
    await later.getByRole('button', { name: 'Continue with Acme' }).click();
    await signInAtProvider(later, 'bob');
    await later.getByText("Confirm that it's you.").waitFor();
    await lookAt(later, 'confirm', found);
    await later.getByLabel('Code').fill(codeOf(app.secret));
    await later.getByLabel('Code').press('Enter');
    await later.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
  });

  assert.deepEqual(found, {}, 'every page is accessible');
});
