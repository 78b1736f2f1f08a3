import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { violations } from './accessibility.ts';
import { executablePath, flags, withoutBrowser } from './browser.ts';
import { startWebsite } from './website.ts';

type Options = BrowserContextOptions & { at?: string; hasClock?: boolean };

const phone = { viewport: { width: 320, height: 640 } };

test('a form in pages of another origin', { skip: withoutBrowser }, async (t) => {
  const [platform, browser] = await Promise.all([
    startPlatform(t, { services: ['gateway', 'contacts', 'segments', 'leadpulse'] }),
    chromium.launch({ ...(executablePath && { executablePath }), args: [...flags, '--user-agent=Mozilla/5.0 Firefox/120.0'] }),
  ]);
  t.after(() => browser.close());
  const website = await startWebsite(t, platform);
  const client = await platform.client('--permission', 'admin');
  const fields = [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }];
  let made = 0;

  async function newForm(more: object = {}) {
    made += 1;
    const body = { name: `Form ${made}`, title: { en: 'Stay in touch' }, fields, allowed_origins: [website.origin], ...more };
    const { data } = await client.post('/v2/contacts/forms', body);
    return data.id;
  }
  async function show(attributes = '', form?: string) {
    const id = form ?? (await newForm());
    website.show(
      `<script src="${platform.url}/f/embed.js" data-form="${id}" ${attributes}></script><noscript><iframe src="${platform.url}/f/${id}?embed=1" title="Form"></iframe></noscript>`,
    );
    return id;
  }
  async function open(t: TestContext, { at = website.origin, hasClock = false, ...options }: Options = {}) {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    t.after(() => context.close());
    const page = await context.newPage();
    // Later, while the frame loads, it could wait for a document that is replaced.
    if (hasClock) await page.clock.install();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${at}/blog?secret=1`);
    return { context, page, faults };
  }
  const frameIn = (page: Page) => page.frameLocator('iframe');
  /** Scrolls to the end. Resolves when the page, whose own listeners are older than this one, has been told of it. */
  async function scrollDown(page: Page) {
    const ending = await page.evaluateHandle(() => {
      const atEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      return { ended: new Promise<void>((resolve) => addEventListener('scroll', () => atEnd() && resolve())) };
    });
    await page.mouse.wheel(0, 5_000);
    await ending.evaluate(({ ended }) => ended);
  }
  /** Nobody fills in a form within a second: the page says so, and takes it later. */
  async function submit(page: Page, email: string) {
    const frame = frameIn(page);
    await frame.getByLabel('Email').fill(email);
    await page.waitForFunction(() => performance.now() > 2_000);
    await frame.getByRole('button', { name: 'Submit' }).click();
    await frame.getByRole('heading', { name: 'Thank you' }).waitFor();
  }
  const contactOf = (email: string) => eventually(async () => (await client.get(`/v2/contacts?email=${email}`)).data.items[0]);
  const height = (page: Page) => page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height);

  await t.test('inline, it has the size of the form, and the page learns of the submission', async (t) => {
    const id = await show();
    const { page, faults } = await open(t);
    await page.evaluate(() => {
      document.addEventListener('mp-form', (event) => {
        if (event instanceof CustomEvent) document.title = JSON.stringify(event.detail);
      });
    });
    const frame = frameIn(page);
    await frame.getByRole('heading', { name: 'Stay in touch' }).waitFor();
    const inner = () => frame.locator('html').evaluate((html) => html.getBoundingClientRect().height);
    await eventually(async () => Math.abs((await height(page)) - (await inner())) <= 1 && (await height(page)) > 100);
    await submit(page, 'inline@example.com');
    await eventually(async () => (await page.title()).includes('"status":"submitted"'));
    await contactOf('inline@example.com');
    const { data } = await client.get(`/v2/contacts/forms/${id}/report`);
    assert.deepEqual([data.counts.views, data.counts.submissions], [1, 1]);
    assert.deepEqual(
      data.pages.map(({ page: at }: { page: string }) => at),
      [`${website.origin}/blog`],
    );
    assert.deepEqual(faults, []);
  });

  await t.test('a pop-up takes the focus, Escape closes it in the page and in the form, and it is not shown again', async (t) => {
    for (const where of ['page', 'form']) {
      await show('data-display="popup" data-delay="0.1"');
      const { page, faults } = await open(t, { hasClock: true });
      const dialog = page.getByRole('dialog', { name: 'Stay in touch' });
      await dialog.waitFor();
      await eventually(async () => (await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName)) === 'IFRAME');
      assert.deepEqual(await violations(page, { within: 'body > div' }), {});
      if (where === 'page') await dialog.getByRole('button', { name: 'Close' }).focus();
      else await frameIn(page).getByLabel('Email').focus();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.reload();
      await page.clock.fastForward(60_000);
      assert.equal(await page.locator('iframe').count(), 0, where);
      assert.deepEqual(faults, []);
    }
  });

  await t.test('a pop-up is shown at a scroll depth or when the pointer leaves the page, and not again after a submission', async (t) => {
    await show('data-display="popup" data-scroll="80" data-again="0"');
    const scrolled = await open(t);
    assert.equal(await scrolled.page.locator('iframe').count(), 0);
    await scrollDown(scrolled.page);
    await scrolled.page.getByRole('dialog').waitFor();
    await submit(scrolled.page, 'popup@example.com');
    await contactOf('popup@example.com');
    // At the top again: the browser would restore the place.
    await scrolled.page.goto(`${website.origin}/blog?again`);
    await scrollDown(scrolled.page);
    assert.equal(await scrolled.page.locator('iframe').count(), 0);

    await show('data-display="popup" data-exit');
    const leaving = await open(t);
    await leaving.page.mouse.move(100, 100);
    await leaving.page.evaluate(() => document.dispatchEvent(new MouseEvent('mouseout', { clientY: -1, relatedTarget: null })));
    await leaving.page.getByRole('dialog').waitFor();
  });

  await t.test(
    'a pop-up is shown once per visitor, even if nobody closes it; a page where it could not be shown does not count',
    async (t) => {
      const id = await newForm({ allowed_origins: [] });
      await show('data-display="popup"', id);
      const { page } = await open(t, { hasClock: true });
      await eventually(async () => page.frames().some((frame) => frame.url().startsWith('chrome-error:')));
      await client.put(`/v2/contacts/forms/${id}`, { allowed_origins: [website.origin] });
      await page.goto(`${website.origin}/repaired`);
      await page.getByRole('dialog').waitFor();
      await page.goto(`${website.origin}/next`);
      await page.clock.fastForward(60_000);
      assert.equal(await page.locator('iframe').count(), 0);
    },
  );

  await t.test('a bar takes no focus, fits a phone, and is closed by its button', async (t) => {
    await show('data-display="bar"');
    const { page } = await open(t, phone);
    const bar = page.getByRole('region', { name: 'Stay in touch' });
    await bar.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
    await eventually(async () => (await height(page)) > 50);
    const box = await bar.boundingBox();
    assert.ok(box && box.x >= 0 && box.width <= 320 && box.y + box.height <= 641, JSON.stringify(box));
    assert.ok(
      await frameIn(page)
        .locator('html')
        .evaluate((html) => html.scrollWidth <= html.clientWidth),
      'nothing is cut off',
    );
    await bar.getByRole('button', { name: 'Close' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.reload();
    assert.equal(await page.locator('iframe').count(), 0);
  });

  await t.test('a pop-up fits a phone', async (t) => {
    await show('data-display="popup"');
    const { page } = await open(t, phone);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await eventually(async () => (await height(page)) > 100);
    const box = await dialog.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320 && box.y + box.height <= 640, JSON.stringify(box));
  });

  await t.test('without JavaScript, the frame takes submissions', async (t) => {
    await show();
    const { page } = await open(t, { javaScriptEnabled: false });
    const frame = frameIn(page);
    await frame.getByLabel('Email').fill('plain@example.com');
    await eventually(async () => {
      const button = frame.getByRole('button', { name: 'Submit' });
      if (await button.isVisible()) await button.click();
      return frame.getByRole('heading', { name: 'Thank you' }).isVisible();
    });
    await contactOf('plain@example.com');
  });

  await t.test('a page of an origin that the form does not allow shows nothing', async (t) => {
    const elsewhere = website.origin.replace('localhost', '127.0.0.1');
    for (const attributes of ['', 'data-display="popup"', 'data-display="bar"']) {
      await show(attributes);
      const { page } = await open(t, { at: elsewhere });
      // What the browser shows in a frame that it blocked, and then no script of the form can run there.
      await eventually(async () => page.frames().some((frame) => frame.url().startsWith('chrome-error:')));
      const box = await page.locator('iframe').boundingBox();
      assert.ok(box === null || box.height === 0, JSON.stringify(box));
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.equal(await page.getByRole('region').count(), 0);
    }
  });

  await t.test('markup of your own and fetch submit it from an allowed page only', async (t) => {
    const id = await newForm();
    website.show(
      `<form method="post" action="${platform.url}/f/${id}"><input name="email" value="own@example.com"><button>Send</button></form>`,
    );
    const { page } = await open(t);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await contactOf('own@example.com');
    const send = (from: Page, email: string) =>
      from.evaluate(
        ([url, value]) =>
          fetch(String(url), {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ fields: { email: value } }),
          }).then(
            ({ status }) => status,
            () => 'blocked',
          ),
        [`${platform.url}/f/${id}/submissions`, email],
      );
    const allowed = await open(t);
    assert.equal(await send(allowed.page, 'fetch@example.com'), 200);
    await contactOf('fetch@example.com');
    const other = await open(t, { at: website.origin.replace('localhost', '127.0.0.1') });
    assert.equal(await send(other.page, 'other@example.com'), 'blocked');
  });

  await t.test("the visitor that LeadPulse's script knows on the page becomes the contact", async (t) => {
    const { data: site } = await client.post('/v2/leadpulse/sites', { name: 'Shop', origins: [website.origin] });
    const id = await newForm();
    const counted = `<script src="${platform.url}/ingest/v1/mp.js" data-key="${site.publishable_key}" data-storage="local"></script>`;
    website.show(`${counted}<script src="${platform.url}/f/embed.js" data-form="${id}"></script>`);
    const { page } = await open(t);
    await submit(page, 'visitor@example.com');
    const { id: contact } = await contactOf('visitor@example.com');
    await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/visitors?limit=100')).data;
      return items.some(({ contact_id, pageviews }: { contact_id: string; pageviews: number }) => contact_id === contact && pageviews > 0);
    });
  });
});
