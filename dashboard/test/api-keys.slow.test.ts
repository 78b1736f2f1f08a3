import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Platform, startPlatform } from '../../tests/platform.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { createOpen } from './journey.ts';

/** Settings → API Keys, in a real browser against the real gateway. */
test('API keys', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'] }), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);
  const signedIn = async (t: TestContext) => {
    const opened = await open(t, '/settings/api-keys');
    await opened.page.getByRole('heading', { name: 'API Keys', exact: true }).waitFor();
    return opened;
  };

  await t.test('offers to generate the first key', async (t) => {
    const { page } = await signedIn(t);
    const empty = page.getByRole('region', { name: 'No API keys yet' });
    await empty.getByRole('button', { name: 'Generate your first key' }).click();
    await page.getByRole('dialog', { name: 'Generate New Key' }).waitFor();
  });

  await t.test('generates a key that is shown once, works, shows its last use, and is rejected once revoked', async (t) => {
    const { page } = await signedIn(t);
    const key = await generate(page, 'Website backend', 'Read/Write');
    assert.match(key, /^mp_live_[0-9A-Za-z]{49}$/);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    const row = page.getByRole('row', { name: /Website backend/ });
    assert.match(await row.innerText(), new RegExp(`${key.slice(0, 12)}….*Read/Write.*Never.*Active`, 's'));
    assert.equal((await page.content()).includes(key), false, 'the key is no longer on the page');

    const me = await callMe(platform, key);
    assert.equal(me.status, 200);
    assert.equal(me.body.data.name, 'Website backend');
    assert.equal(me.body.data.permission, 'read_write');

    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByText('Requests today').waitFor();
    await page.getByRole('link', { name: 'API Keys' }).click();
    await row.getByRole('cell', { name: 'just now' }).nth(1).waitFor();
    assert.doesNotMatch(await row.innerText(), /Never/, 'the last use shows immediately');

    await row.getByRole('button', { name: 'Revoke Website backend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await callMe(platform, key)).status, 200, 'cancelling changes nothing');
    await row.getByRole('button', { name: 'Revoke Website backend' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await row.getByText(/Revoked/).waitFor();
    const refused = await callMe(platform, key);
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'UNAUTHORIZED']);
    assert.equal(await row.getByRole('button').count(), 0);
  });

  await t.test('rotates a key: the new one works immediately, the old one for the chosen time', async (t) => {
    const { page } = await signedIn(t);
    const old = await generate(page, 'Rotated', 'Read Only');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Rotate Rotated' }).click();
    await page.getByLabel('Old key').selectOption('Works for one more hour');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const next = await page.getByLabel('API key', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: /Rotated.*Replaced, expires/ }).waitFor();
    assert.notEqual(next, old);
    assert.deepEqual([(await callMe(platform, old)).status, (await callMe(platform, next)).status], [200, 200]);
  });

  await t.test('renames a key and limits it to IP addresses', async (t) => {
    const { page } = await signedIn(t);
    const key = await generate(page, 'Before', 'Read Only');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Edit Before' }).click();
    await page.getByLabel('Name', { exact: true }).fill('After');
    const addresses = page.getByRole('combobox', { name: 'Allowed IP addresses' });
    await addresses.fill('everywhere');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('expected an address or a CIDR range').waitFor();
    assert.equal((await callMe(platform, key)).body.data.name, 'Before');
    await page.keyboard.press('Shift+Tab');
    await addresses.press('Backspace');
    await addresses.fill('192.0.2.0/24');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /After.*Active/ }).waitFor();
    const refused = await callMe(platform, key);
    assert.equal(refused.status, 403, JSON.stringify(refused.body));
  });

  await t.test('rejects a scoped key outside its scopes', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Narrow');
    await page.getByLabel('Admin').check();
    await page.getByLabel('Limit to specific scopes').check();
    await page.getByLabel('Read contacts').check();
    await page.getByRole('button', { name: 'Generate key' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    assert.deepEqual((await callMe(platform, key)).body.data.scopes, ['contacts:read']);
    const settings = await fetch(`${platform.url}/v2/settings/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(settings.status, 403);
  });

  await t.test('supports the whole key flow by keyboard alone', async (t) => {
    const { page } = await signedIn(t);
    await tabTo(page, 'Generate New Key');
    await page.keyboard.press('Enter');
    await focusIsOn(page, 'Name');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await focusIsOn(page, 'Read Only');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await focusIsOn(page, 'Admin');
    await page.keyboard.press('Enter');
    await focusIsOn(page, 'Copy key');
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    await page.keyboard.press('Escape');
    await focusIsOn(page, 'Copy key');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await tabTo(page, 'I have stored it');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusIsOn(page, 'Generate New Key');
    assert.equal((await callMe(platform, key)).body.data.permission, 'admin');

    await tabTo(page, 'Revoke By keyboard');
    await page.keyboard.press('Enter');
    await focusIsOn(page, 'Cancel');
    await tabTo(page, 'Revoke key');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /By keyboard.*Revoked/ }).waitFor();
    assert.equal((await callMe(platform, key)).status, 401);
  });

  await t.test('shows a script in the name of a key as text', async (t) => {
    const { page } = await signedIn(t);
    const name = '<img src=x onerror="alert(1)"><script>alert(2)</script>{{3}}';
    await generate(page, name, 'Read Only');
    await page.getByText(name).first().waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('cell', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('dialog').getByText(name).waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText(`${name} was revoked.`).waitFor();
  });

  await t.test('keeps a new key on screen until it is stored: Back and closing the tab are blocked', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByText('Requests today').waitFor();
    await page.getByRole('link', { name: 'API Keys' }).click();
    const key = await generate(page, 'Kept in sight', 'Read Only');
    await page.mouse.click(5, 5);
    await page.evaluate(() => window.history.back());
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), key);
    assert.equal(await page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))), false);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByText('Requests today').waitFor();
  });

  await t.test('shows a key that is being generated, whatever the user presses in the meantime', async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page.getByText('Requests today').waitFor();
    await page.getByRole('link', { name: 'API Keys' }).click();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v2/settings/api-keys', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Slow');
    const requested = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Generate key' }).click();
    await requested;
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.evaluate(() => window.history.back());
    assert.equal(await page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))), false);
    release();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    assert.equal((await callMe(platform, key)).status, 200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.unroute('**/v2/settings/api-keys');
    await page.route('**/rotate', async (route) => {
      await page.keyboard.press('Escape');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Rotate Slow' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
  });

  await t.test("shows the API's validation errors at their fields", async (t) => {
    const { page } = await signedIn(t);
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await page.getByRole('button', { name: 'Generate key' }).click();
    await page.getByText('Give the key a name.').waitFor();
    await focusIsOn(page, 'Name');

    await name.fill('x'.repeat(101));
    const responded = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Generate key' }).click();
    const { error } = await (await responded).json();
    assert.equal(error.details[0].path, '/name');
    await name.and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByText(error.details[0].message, { exact: true }).first().waitFor();
    assert.equal(await name.inputValue(), 'x'.repeat(101), 'the input is kept');
  });

  await t.test('reports that a key was already revoked elsewhere', async (t) => {
    const { page } = await signedIn(t);
    await generate(page, 'Twice', 'Read Only');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke Twice' }).click();
    await page.evaluate(async () => {
      const session = await (await fetch('/auth/session')).json();
      const { data } = await (await fetch('/v2/settings/api-keys')).json();
      const { id } = data.items.find((key: { name: string }) => key.name === 'Twice');
      const headers = { 'content-type': 'application/json', 'x-csrf-token': session.data.csrf_token };
      await fetch(`/v2/settings/api-keys/${id}/revoke`, { method: 'POST', headers, body: '{}' });
    });
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').getByText('This key is already revoked.').waitFor();
  });
});

/** Generates a key, copies it, and leaves the dialog open. */
async function generate(page: Page, name: string, permission: string): Promise<string> {
  await page.getByRole('button', { name: 'Generate New Key' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel(permission).check();
  await page.getByRole('button', { name: 'Generate key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return page.getByLabel('API key', { exact: true }).inputValue();
}

async function callMe({ url }: Platform, key: string) {
  const response = await fetch(`${url}/v2/me`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: await response.json() };
}

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return '';
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.innerText : undefined;
    return (element.ariaLabel ?? label ?? element.innerText).trim();
  });

/** Waits for the focus, which moves after a dialog opens or closes. */
async function focusIsOn(page: Page, name: string) {
  await page
    .waitForFunction((wanted) => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement)) return false;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.innerText : undefined;
      return (element.ariaLabel ?? label ?? element.innerText).trim() === wanted;
    }, name)
    .catch(async () => assert.fail(`the focus is on “${await focused(page)}” and not on “${name}”`));
}

async function tabTo(page: Page, name: string) {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${name} cannot be reached with the Tab key`);
}
