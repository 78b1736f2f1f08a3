import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemplates } from '@mp/templates/templates';
import { contrast, readableOn, textOn } from '../dashboard/src/email-design/colors.ts';
import { type Brand, type DesignNode, designOf, newDesign } from '../dashboard/src/email-design/design.ts';
import { designToHtml } from '../dashboard/src/email-design/design-to-html.ts';
import { designToText } from '../dashboard/src/email-design/design-to-text.ts';
import { mergeTag } from '../dashboard/src/email-design/liquid-text.ts';
import { blank, designOfStarter, starters } from '../dashboard/src/email-design/starters.ts';

const brand: Brand = {
  company_name: 'Acme & Sons',
  website_url: 'https://acme.example/',
  logo_url: 'https://acme.example/logo.png',
  logo_width: 120,
  colors: { primary: '#ffd400', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' },
  font: 'georgia',
  postal_address: '1 Main St\nBerlin',
  footer_text: null,
  social_links: [{ network: 'linkedin', url: 'https://linkedin.com/company/acme' }],
};

const templates = createTemplates();
const rendered = async (content: DesignNode[], first_name: string | null = null) => {
  const design = newDesign(brand, content);
  const message = { subject: 'Hi', preview_text: null, html: designToHtml(design), text: designToText(design) };
  const scope = {
    contact: { first_name, attributes: {}, address: {}, tags: [] },
    campaign: { name: '' },
    unsubscribe_url: 'https://mail.example/u',
  };
  assert.deepEqual(await templates.check({ accountId: 'a', templates: message }), []);
  const { html, text, problems } = await templates.render({ accountId: 'a', templates: message, scope });
  assert.deepEqual(problems, []);
  return { html: html ?? '', text: text ?? '' };
};
const paragraph = (...content: DesignNode[]): DesignNode => ({ type: 'paragraph', content });

test('the HTML of a design', async (t) => {
  t.after(templates.stop);

  await t.test('renders merge tags with their fallback, whatever quotes it has', async () => {
    for (const fallback of ['there', 'a "b"', "it's", `"it's"`, 'a }} b']) {
      const { html, text } = await rendered([paragraph({ type: 'mergeTag', attrs: { field: 'contact.first_name', fallback } })]);
      const shown = fallback.includes("'") && fallback.includes('"') ? "”it's”" : fallback.replace('}}', '');
      assert.ok(text.includes(shown.trim()), `${mergeTag('contact.first_name', fallback)} → ${text}`);
      assert.ok(!html.includes('{{'));
    }
    const { text } = await rendered([paragraph({ type: 'mergeTag', attrs: { field: 'contact.first_name', fallback: 'there' } })], 'Ada');
    assert.match(text, /^Ada\n/);
  });

  await t.test('keeps Liquid that was typed, and escapes everything else', async () => {
    const typed = '<script> {% if contact.first_name == "Ada" %}Hi & bye{% endif %}';
    const { html } = await rendered([paragraph({ type: 'text', text: typed })], 'Ada');
    assert.match(html, /&lt;script&gt; Hi &amp; bye/);
  });

  await t.test('keeps Liquid in the URL and the label of a button, and in the description of an image', async () => {
    const label = 'Hi {{ contact.first_name | default: "you" }}';
    const href = 'https://acme.example/?name={{ contact.first_name | default: "x" }}&a="';
    const image = { type: 'image', attrs: { src: 'https://acme.example/a.png', alt: label, width: 200, align: 'center' } };
    const { html } = await rendered([{ type: 'button', attrs: { label, href } }, image]);
    assert.match(html, /href="https:\/\/acme\.example\/\?name=x&amp;a=&quot;"/);
    assert.match(html, />Hi you<\/a>/);
    assert.match(html, /alt="Hi you" width="200"/);
  });

  await t.test('has the logo, the address, the social links and the unsubscribe link', async () => {
    const { html, text } = await rendered([{ type: 'social' }]);
    for (const part of ['logo.png', 'Acme &amp; Sons', '1 Main St<br>Berlin', 'LinkedIn', 'https://mail.example/u', 'Georgia'])
      assert.ok(html.includes(part), part);
    assert.match(text, /LinkedIn: https:\/\/linkedin\.com.*Unsubscribe: https:\/\/mail\.example\/u/s);
  });

  await t.test('of every starter is valid, has an unsubscribe link and no image without a description', async () => {
    for (const starter of [...starters, { content: blank }]) {
      const { html } = await rendered(starter.content);
      assert.match(html, /mail\.example\/u/);
      assert.ok(!/<img (?![^>]*alt="[^"]+")/.test(html));
      assert.ok(html.length < 102_000);
      const stored = designOf(JSON.parse(JSON.stringify(designOfStarter(starter, { ...brand, website_url: null }))));
      assert.deepEqual(stored?.doc.content, starter.content);
    }
  });

  await t.test('can be read in light and dark, whatever the colors of the brand', () => {
    for (const primary of ['#ffd400', '#000000', '#ffffff', '#2563eb', '#e11d48']) {
      assert.ok(contrast(textOn(primary), primary) >= 4.5);
      assert.ok(contrast(readableOn(primary, '#ffffff', '#111111'), '#ffffff') >= 4.5);
      assert.ok(contrast(readableOn(primary, '#1b1f25', '#ffffff'), '#1b1f25') >= 4.5);
    }
  });
});

test('a design that was written elsewhere is not read as one of ours', () => {
  const own = newDesign(brand, blank);
  assert.deepEqual(designOf(own), own);
  for (const other of [null, {}, { blocks: [1] }, { ...own, version: 2 }, { ...own, doc: { content: [] } }, { ...own, brand: null }])
    assert.equal(designOf(other), undefined);
});
