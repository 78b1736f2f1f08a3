import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { PageLanguage } from '@mp/contracts/page-language';
import { type PreferencePage, preferencePage } from '../../services/campaigns/src/engagement/preference-page.ts';
import { textsFor } from '../../services/campaigns/src/engagement/preference-texts.ts';
import { violations } from './accessibility.ts';
import { openBrowser, withoutBrowser } from './browser.ts';

const topics = [
  { id: 'news', name: 'News & <offers>', subscribed: true },
  { id: 'events', name: 'Events', subscribed: false },
];
const kinds: Record<string, PreferencePage> = {
  choices: { kind: 'choices', topics },
  saved: { kind: 'choices', topics, notice: 'saved' },
  withoutTopics: { kind: 'choices', topics: [] },
  unsubscribed: { kind: 'unsubscribed' },
};

/** Serves each page at /<language>/<kind>, and records the forms that it gets. */
async function servePages(t: TestContext) {
  const forms: string[] = [];
  const server = createServer(async (request, response) => {
    const [, language = '', kind = ''] = request.url?.split('/') ?? [];
    if (request.method === 'POST') forms.push(await text(request));
    const page = kinds[request.method === 'POST' ? 'saved' : kind];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.statusCode = page ? 200 : 404;
    response.end(page && preferencePage(page, textsFor(language)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, forms };
}

test('the preference page of emails', { skip: withoutBrowser }, async (t) => {
  const [browser, { url, forms }] = await Promise.all([openBrowser(t), servePages(t)]);

  await t.test('has no accessibility violation in any language, in light and dark', async (t) => {
    assert.equal(PageLanguage.options.length, 10);
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    t.after(() => context.close());
    const page = await context.newPage();
    for (const language of PageLanguage.options) {
      for (const kind of Object.keys(kinds)) {
        await page.goto(`${url}/${language}/${kind}`);
        assert.equal(await page.getAttribute('html', 'lang'), language);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await violations(page), {}, `${language}, ${kind}, ${colorScheme}`);
        }
      }
    }
  });

  await t.test('follows the color scheme of the recipient', async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${url}/en/choices`);
    const background = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    assert.deepEqual([await background('light'), await background('dark')], ['rgb(255, 255, 255)', 'rgb(20, 24, 29)']);
  });

  await t.test('works without JavaScript: its forms send what was chosen, and the page says that it is saved', async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${url}/en/choices`);
    await page.getByRole('checkbox', { name: 'News & <offers>' }).uncheck();
    await page.getByRole('checkbox', { name: 'Events' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    await page.getByRole('button', { name: 'Unsubscribe from all' }).click();
    await page.getByRole('status').waitFor();
    await page.goto(`${url}/en/unsubscribed`);
    await page.getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByRole('status').waitFor();
    assert.deepEqual(forms, ['action=save&topic=events', 'action=unsubscribe', 'action=resubscribe']);
  });
});
