import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Json } from '../../tests/contract.ts';
import { type Found, lookAt, misplaced, violations } from './accessibility.ts';
import { openPage } from './browser.ts';
import type { Journey } from './journey.ts';
import { goTo, pagesOf, settled } from './pages.ts';
import { createInSight } from './secret-dialog.ts';

/** The pages with an empty state: its title, and its button. */
const whenEmpty: Record<string, { title: string; action: string }> = {
  '/contacts': { title: 'No contacts yet', action: 'Import contacts' },
  '/contacts/suppressions': { title: 'No suppressions yet', action: 'Suppress an address' },
  '/contacts/imports': { title: 'No imports yet', action: 'Import contacts' },
  '/contacts/forms': { title: 'No forms yet', action: 'Create a form' },
  '/segments': { title: 'No segments yet', action: 'Create a segment' },
  '/campaigns': { title: 'No campaigns yet', action: 'Create a campaign' },
  '/leadpulse': { title: 'No visits in this time range', action: 'Add your website' },
  '/leadpulse/visitors': { title: 'No visitors yet', action: 'Add your website' },
  '/leadpulse/websites': { title: 'No websites yet', action: 'Add your website' },
  '/workflows': { title: 'No workflows yet', action: 'Create a workflow' },
  '/settings/webhooks': { title: 'No webhooks yet', action: 'Create a webhook' },
  '/settings/oauth-clients': { title: 'No OAuth clients yet', action: 'Create a client' },
};

export async function emptyPages(t: TestContext, { open, client }: Pick<Journey, 'open' | 'client'>) {
  await t.test('every empty page offers to add the first item, and is accessible', async (t) => {
    const { page } = await open(t, '/');
    await settled(page);
    assert.deepEqual(await violations(page, { within: 'main' }), {}, '/');
    for (const [path, { title, action }] of Object.entries(whenEmpty)) {
      await goTo(page, path);
      const empty = page.getByRole('region', { name: title });
      await empty
        .getByRole('link', { name: action })
        .or(empty.getByRole('button', { name: action }))
        .waitFor();
      assert.deepEqual(await violations(page, { within: 'main' }), {}, path);
    }
  });

  await t.test('an empty page adds a website and shows the snippet for its pages', async (t) => {
    const { page } = await open(t, '/leadpulse');
    await page.getByRole('button', { name: 'Add your website' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add website' }).click();
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('combobox', { name: 'Website addresses' }).fill('shop');
    await dialog.getByRole('button', { name: 'Add website' }).click();
    await dialog.getByRole('combobox', { name: 'Website addresses' }).and(page.locator('[aria-invalid=true]:focus')).waitFor();
    await page.keyboard.press('Backspace');
    await dialog.getByRole('combobox', { name: 'Website addresses' }).fill('https://shop.example.com');
    await dialog.getByRole('button', { name: 'Add website' }).click();
    const [site] = await eventually(async () => {
      const { items } = (await client.get('/v2/leadpulse/sites')).data;
      return items.length > 0 && items;
    });
    assert.deepEqual([site.name, site.origins], ['Shop', ['https://shop.example.com']]);
    await dialog.getByText(`data-key="${site.publishable_key}"`).waitFor();
    await dialog.getByText('Waiting for the first event.').waitFor();
    const ingested = await fetch(`${new URL(page.url()).origin}/ingest/v1/events?key=${site.publishable_key}`, {
      method: 'POST',
      headers: { origin: 'https://shop.example.com', 'content-type': 'text/plain' },
      body: JSON.stringify({ events: [{ event: '$pageview' }] }),
    });
    assert.equal(ingested.status, 202);
    await dialog.getByText('We have seen your first event.').waitFor();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  await t.test('the secret of a new website stays on screen from its creation until it is stored', async (t) => {
    const { page } = await open(t, '/contacts');
    await page.getByRole('link', { name: 'LeadPulse' }).click();
    await page.getByRole('button', { name: 'Add your website' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Blog');
    await dialog.getByRole('combobox', { name: 'Website addresses' }).fill('https://blog.example.com');
    const secret = await createInSight(page, {
      path: '**/v2/leadpulse/sites',
      label: 'Identity secret',
      create: () => dialog.getByRole('button', { name: 'Add website' }).click(),
    });
    assert.ok(secret.length > 20);
  });
}

/** The window also fails the test on console errors, which include violations of the Content-Security-Policy. */
export async function everyPage(t: TestContext, { open, client, demo, browser, platform }: Journey) {
  const pages = await pagesOf(client, demo);

  await t.test('the list of pages covers every route', async () => {
    const folder = new URL('../src/routes/', import.meta.url);
    const files = [new URL('../src/router.tsx', import.meta.url), ...(await readdir(folder)).map((name) => new URL(name, folder))];
    const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const routes = [...sources.join('\n').matchAll(/path: '(\/[^']*)'/g)].map(([, path = '']) => path);
    assert.ok(routes.length > 30);
    const isFixed = (path: string) => routes.includes(path);
    const addresses = Object.values(pages).map((url) => url.replace(/\?.*$/, ''));
    const walked = (route: string) =>
      addresses.some((path) =>
        route.includes('$') ? !isFixed(path) && new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path) : path === route,
      );
    assert.deepEqual(
      routes.filter((route) => !walked(route)),
      // The last one leads to another page; the others stand alone and have journeys of their own.
      ['/sign-in', '/confirm-email', '/stop-report', '/authorize', '/settings'],
    );
  });

  await t.test('every page loads with data and without errors, and is accessible: light and dark, wide and narrow', async (t) => {
    const { page } = await open(t, '/');
    const found: Found = {};
    await settled(page);
    await lookAt(page, 'overview', found);
    for (const [name, path] of Object.entries(pages)) {
      if (name === 'overview') continue;
      await goTo(page, path);
      assert.equal(await page.getByRole('alert').filter({ hasText: "Couldn't load" }).count(), 0, name);
      // The layout around every page was checked with the first one.
      await lookAt(page, name, found, { within: 'main' });
    }
    const { page: outside } = await openPage(t, browser, platform.url);
    await outside.goto(`${platform.url}/sign-in`);
    await settled(outside);
    await lookAt(outside, 'sign-in', found);
    await outside.goto(`${platform.url}/confirm-email#token=x`);
    await settled(outside);
    await lookAt(outside, 'confirm-email', found);
    await outside.goto(`${platform.url}/stop-report#token=x`);
    await outside.getByRole('button', { name: 'Stop' }).waitFor();
    await lookAt(outside, 'stop-report', found);
    await outside.goto(`${platform.url}/t/mailbox`);
    await lookAt(outside, 'mailbox', found);
    assert.deepEqual(found, {});
  });

  await t.test('the page of Segment calls says what became of each, and why', async (t) => {
    const { page } = await open(t, '/leadpulse/segment-calls');
    for (const what of [/Accepted/, /Dropped.*userId must be text/s])
      await page
        .getByRole('row', { name: /Order Completed/ })
        .filter({ hasText: what })
        .first()
        .waitFor();
  });

  await t.test('long amounts never break inside, and metrics leave no hole, at any width', async (t) => {
    const { page } = await open(t, '/');
    const revenue = [{ amount: 12_345_678_901.23, currency: 'EUR' }];
    const enrich = (url: string, patch: (data: Json) => Json) =>
      page.route(url, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, data: patch(body.data) } });
      });
    await enrich('**/v2/leadpulse/analytics?**', (data) => ({ ...data, totals: { ...data.totals, revenue } }));
    await enrich('**/v2/campaigns/*/analytics', (data) => ({ ...data, counts: { ...data.counts, revenue } }));
    const found: Found = {};
    for (const [path, label] of [
      ['/leadpulse', 'Totals'],
      [`/campaigns/${demo.sent.id}`, 'Results'],
    ] as const) {
      await page.goto(platform.url + path);
      await page.getByRole('region', { name: label }).getByText('12,345,678,901.23').waitFor();
      for (const width of [320, 390, 820, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await misplaced(page), [], `${path}, ${width} px`);
      }
      await lookAt(page, path, found, { within: 'main' });
    }
    assert.deepEqual(found, {});
  });

  await t.test('dialogs are accessible, light and dark', async (t) => {
    const { page } = await open(t, '/');
    const found: Found = {};
    await settled(page);
    for (const [path, button] of dialogs(demo)) {
      await goTo(page, path);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await lookAt(page, `${path}, ${button}`, found, { within: '[role="dialog"]' });
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(found, {});
  });
}

/** A page with the button that opens its dialog. Two in a row never share a heading, for whose change `goTo` waits. */
const dialogs = ({ ada, draft, sent, welcome }: Journey['demo']) =>
  [
    ['/settings/api-keys', 'Generate New Key'],
    ['/settings/team', 'Invite'],
    ['/settings/roles', 'Create a role'],
    ['/settings/single-sign-on', 'New provider'],
    ['/settings/webhooks', 'New webhook'],
    ['/settings/oauth-clients', 'New client'],
    ['/contacts/suppressions', 'Suppress'],
    [`/contacts/${ada.id}`, 'Merge…'],
    [`/contacts/${ada.id}/consent`, 'Change'],
    [`/contacts/${ada.id}`, 'Send email'],
    ['/segments', 'New static segment'],
    [`/contacts/${ada.id}`, 'Delete'],
    ['/campaigns/coupons', 'New coupon'],
    [`/campaigns/${draft.id}`, 'Delete'],
    ['/leadpulse', 'Add a goal'],
    [`/campaigns/${sent.id}`, 'Email this report'],
    ['/leadpulse/websites', 'Add your website'],
    [`/workflows/${welcome.id}`, 'Archive'],
    ['/segments', 'Start from an example'],
  ] as const;
