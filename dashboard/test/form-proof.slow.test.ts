import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { fetchOf } from '../src/forms/embed-code.ts';
import type { Form } from '../src/forms/forms.ts';
import { executablePath, flags, withoutBrowser } from './browser.ts';
import { startWebsite } from './website.ts';

const fields: Form['fields'] = [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true, options: [] }];
const colors = { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' };

test('a form that always asks for a proof of work', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([
    startPlatform(t, { services: ['gateway', 'contacts', 'segments'] }),
    chromium.launch({ ...(executablePath && { executablePath }), args: [...flags, '--user-agent=Mozilla/5.0 Firefox/120.0'] }),
  ]);
  t.after(() => browser.close());
  const website = await startWebsite(t, platform);
  const client = await platform.client('--permission', 'admin');
  const css = `@import "${website.origin}/a.css"; @font-face { font-family: f; src: url(${website.origin}/b.woff2) }
h1 { color: #123456; font-family: f; background: url(${website.origin}/c.png) }`;
  const { data } = await client.post('/v2/contacts/forms', {
    ...{ name: 'Guarded', title: { en: 'Stay in touch' }, fields, captcha: 'always' },
    ...{ allowed_origins: [website.origin], look: { ...colors, css } },
  });
  const url: string = data.url;
  async function open(t: TestContext, at: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    t.after(() => context.close());
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(at);
    return { page, faults };
  }
  /** Clicks once the page is old enough: nobody fills in a form within a second. */
  async function submit(page: Page) {
    await page.waitForFunction(() => performance.now() > 1_500);
    await page.getByRole('button', { name: 'Submit' }).click();
  }
  const stored = (email: string) => eventually(async () => (await client.get(`/v2/contacts?email=${email}`)).data.items[0]);
  const sent = async (page: Page) => (await page.waitForRequest((request) => request.method() === 'POST')).postData() ?? '';

  await t.test('the hosted page solves it, and its button shows progress in the meantime', async (t) => {
    const { page, faults } = await open(t, url);
    const held = Promise.withResolvers<void>();
    await page.route('**/challenge', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Email').fill('hosted@example.com');
    await submit(page);
    await page.getByRole('button', { name: 'One moment…', disabled: true }).waitFor();
    await page.getByLabel('Email').press('Enter');
    const body = sent(page);
    held.resolve();
    assert.match(await body, /&altcha=\w+/);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await stored('hosted@example.com');
    assert.deepEqual(faults, []);
  });

  await t.test('the page in a frame of a website solves it', async (t) => {
    website.show(`<script src="${platform.url}/f/embed.js" data-form="${data.id}"></script>`);
    const { page, faults } = await open(t, website.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Email').fill('framed@example.com');
    await page.waitForFunction(() => performance.now() > 2_500);
    const body = sent(page);
    await frame.getByRole('button', { name: 'Submit' }).click();
    assert.match(await body, /&altcha=\w+/);
    await frame.getByRole('heading', { name: 'Thank you' }).waitFor();
    await stored('framed@example.com');
    assert.deepEqual(faults, []);
  });

  await t.test('the JavaScript to copy solves it', async (t) => {
    website.show('');
    const { page } = await open(t, website.origin);
    const form = { title: null, language: 'en', consents: [], submit_label: null, fields } as const;
    const code = fetchOf({ ...form, consents: [] }, url).replace('"…"', '"code@example.com"');
    const message: unknown = await page.evaluate(`(async () => { ${code}\nreturn data.message; })()`);
    assert.match(String(message), /received/);
    await stored('code@example.com');
  });

  await t.test('without JavaScript, the page does without', async (t) => {
    const { page } = await open(t, url, { javaScriptEnabled: false });
    await page.getByLabel('Email').fill('plain@example.com');
    const button = page.getByRole('button', { name: 'Submit' });
    await eventually(async () => {
      if (await button.isVisible()) await button.click();
      return page.getByRole('heading', { name: 'Thank you' }).isVisible();
    });
    await stored('plain@example.com');
  });

  await t.test('its own CSS is applied, and loads nothing', async (t) => {
    const { page } = await open(t, url);
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('h1').evaluate((heading) => getComputedStyle(heading).color), 'rgb(18, 52, 86)');
    assert.deepEqual(
      website.requested.filter((path) => /\.(css|woff2|png)$/.test(path)),
      [],
    );
  });
});
