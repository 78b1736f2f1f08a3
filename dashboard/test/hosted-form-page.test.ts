import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PageLanguage } from '@mp/contracts/page-language';
import { newForm } from '../../services/contacts/src/forms/form.ts';
import { afterPage, confirmPage, formPage, nothingFilled, noticePage } from '../../services/contacts/src/forms/form-page.ts';
import { ownPage } from '../../services/contacts/src/forms/form-place.ts';
import { violations } from './accessibility.ts';
import { openBrowser, withoutBrowser } from './browser.ts';

const en = (words: string) => ({ en: words });
const consent = { channel: 'email', topics: ['news'], text: en('Yes, send me news once a month.') } as const;
const options = [{ value: 'pro', label: en('Professional') }];

/** A form with a field of every type, and both displays of a consent. */
const form = newForm({
  name: 'Everything',
  title: en('Stay in touch'),
  description: en('Once a month.'),
  fields: [
    { field: 'email', type: 'email', label: en('Email'), required: true, options: [] },
    { field: 'phone', type: 'phone', label: en('Phone'), required: false, options: [] },
    { field: 'first_name', type: 'text', label: en('First name'), required: false, options: [] },
    { field: 'attributes.plan', type: 'select', label: en('Plan'), required: false, options },
    { field: 'attributes.size', type: 'number', label: en('Size'), required: false, options: [] },
    { field: 'attributes.since', type: 'date', label: en('Since'), required: false, options: [] },
    { field: 'attributes.about', type: 'textarea', label: en('About you'), required: false, options: [] },
    { field: 'attributes.terms', type: 'checkbox', label: en('I know the terms'), required: true, options: [] },
  ],
  consents: [
    { ...consent, topics: [...consent.topics], key: 'news', display: 'checkbox', required: true },
    { ...consent, topics: [], channel: 'sms', key: 'sms', display: 'notice', required: false },
  ],
  sender: { email: 'news@example.com', name: null },
});

const stamp = 'a.b.c';
const place = ownPage;
const filledIn = (email: string) => ({ ...nothingFilled, values: new Map([['email', email]]) });
const problems = new Map([
  ['/fields/email', 'This entry is not valid.'],
  ['/consents', 'Please fill in this field.'],
]);

const pages: Record<string, (language: PageLanguage) => string> = {
  form: (language) => formPage(form, { language, stamp, filled: filledIn('ada@example.com'), place }),
  proof: (language) => formPage(form, { language, stamp, filled: nothingFilled, place, solvesProof: true }),
  problems: (language) => formPage(form, { language, stamp, filled: { ...filledIn('nope'), problems }, place }),
  thanks: (language) => afterPage(form.after_submission, { language, fallback: 'en', isConfirmed: false, look: form.look }),
  confirm: (language) => confirmPage([{ channel: 'email', topics: [], text: 'Yes, send me news.' }], language),
  invalid: (language) => noticePage(language, 'invalidLink'),
  many: (language) => noticePage(language, 'tooMany'),
};

/** Serves each page at /<language>/<page>, and records what its form sends. */
async function servePages(t: TestContext) {
  const sent: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const [, given, kind = ''] = request.url?.split('/') ?? [];
    if (request.method === 'POST') sent.push(new URLSearchParams(await text(request)));
    const page = request.method === 'POST' ? pages.thanks : pages[kind];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.statusCode = page ? 200 : 404;
    response.end(page?.(PageLanguage.catch('en').parse(given)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

test('the pages of a form without CSS of its own are at most 15 kB, whatever the language, and only a proof of work is a script', () => {
  for (const language of PageLanguage.options)
    for (const [kind, page] of Object.entries(pages)) {
      const html = page(language);
      assert.ok(
        Buffer.byteLength(html) <= 15_000,
        `${language}, ${kind}: ${Buffer.byteLength(html)} bytes, ${gzipSync(html).length} compressed`,
      );
      assert.equal(html.includes('<script'), kind === 'proof');
    }
});

test('the hosted pages of a form', { skip: withoutBrowser }, async (t) => {
  const [browser, { url, sent }] = await Promise.all([openBrowser(t), servePages(t)]);

  await t.test('have no accessibility violation in any of ten languages, on a phone, in light and dark', async (t) => {
    assert.equal(PageLanguage.options.length, 10);
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    t.after(() => context.close());
    const page = await context.newPage();
    for (const language of PageLanguage.options)
      for (const kind of Object.keys(pages)) {
        await page.goto(`${url}/${language}/${kind}`);
        assert.equal(await page.getAttribute('html', 'lang'), language);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${language}, ${kind} fits`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await violations(page), {}, `${language}, ${kind}, ${colorScheme}`);
        }
      }
  });

  await t.test('follow the color scheme of the visitor', async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${url}/en/form`);
    const background = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    assert.notEqual(await background('light'), await background('dark'));
  });

  await t.test('work without JavaScript: the address is filled in, and the form sends what was entered', async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${url}/en/form`);
    assert.equal(await page.getByLabel('Email', { exact: false }).first().inputValue(), 'ada@example.com');
    await page.getByLabel('Plan').selectOption('pro');
    await page.getByLabel('I know the terms').check();
    await page.getByLabel('Yes, send me news once a month.').check();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const [fields] = sent;
    const given = ['email', 'attributes.plan', 'attributes.terms', 'consent', 'website', '_stamp'].map((name) => fields?.get(name));
    assert.deepEqual(given, ['ada@example.com', 'pro', 'on', 'news', '', stamp]);
  });
});
