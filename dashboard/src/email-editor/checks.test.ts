import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DesignNode, newDesign } from '../email-design/design.ts';
import { designToHtml } from '../email-design/design-to-html.ts';
import { checksOf, isBlankWithout } from './checks.ts';

const good = {
  subject: 'Hi',
  preview_text: '',
  html: '<img src="a" alt="A cat"><a href="{{ unsubscribe_url }}">Unsubscribe</a><p>1 Main St<br>\nBerlin</p>',
  text: null,
  postalAddress: '1 Main St\nBerlin',
  problems: [],
  isVerified: true,
  fromEmail: 'news@example.com',
  missing: [],
  brokenLinks: [],
  rendered: 0,
};
type Change = Partial<Omit<Parameters<typeof checksOf>[0], 'content'> & Parameters<typeof checksOf>[0]['content']>;

function titles(change: Change) {
  const { subject, preview_text, html, text, ...rest } = { ...good, ...change };
  return checksOf({ ...rest, content: { subject, preview_text, html, text } }).map(({ title }) => title);
}

test('an email that has everything passes', () => {
  assert.deepEqual(titles({}), []);
});

test('every fault is named once', () => {
  const cases: [Change, RegExp][] = [
    [{ subject: ' ' }, /subject is missing/],
    [{ html: good.html.replace('unsubscribe_url', 'contact.email') }, /no unsubscribe link/],
    [{ html: good.html.replace('Berlin', '') }, /postal address/],
    [{ html: good.html.replace('A cat', '') }, /An image has no alternative text/],
    [{ html: `${good.html}<img src=b><img src="c" alt="">` }, /2 images/],
    [{ html: `${good.html}<a href="">Read</a>` }, /has no URL/],
    [{ brokenLinks: [{ url: 'https://a.example/b', problem: 'The page does not exist (404).' }] }, /link does not work/],
    [{ html: good.html + 'ä'.repeat(60_000) }, /^The email is 118 KB/],
    [{ isVerified: false }, /example\.com is not a verified domain/],
    [{ html: `${good.html}{{ contact.city }}`, missing: [{ field: 'contact.city', count: 1_200 }], rendered: 5_000 }, /^1,200 of 5,000/],
    [{ preview_text: '{{ contact.phone }}', missing: [{ field: 'contact.phone', count: 2 }], rendered: 3 }, /^2 of 3/],
  ];
  for (const [change, title] of cases) {
    const found = titles(change);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? '', title);
  }
  assert.match(titles({ postalAddress: null })[0] ?? '', /postal address/);
  assert.deepEqual(titles({ problems: ['Line 3: broken'] }), ['The email has an error']);
});

test('a product and a video without a description of their picture, or without a link, are named as images and buttons are', () => {
  const colors = { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' };
  const named = { company_name: null, website_url: null, logo_url: null, logo_width: 120, postal_address: null, footer_text: null };
  const found = (block: DesignNode) =>
    titles({ html: good.html + designToHtml(newDesign({ ...named, colors, font: 'arial', social_links: [] }, [block])) });
  const [src, href] = ['https://a.example/a.png', 'https://a.example/'];
  assert.deepEqual(found({ type: 'product', attrs: { src, name: 'A bag', label: 'Buy', href } }), []);
  assert.deepEqual(found({ type: 'video', attrs: { src, alt: 'A bag', href } }), []);
  for (const block of [
    { type: 'product', attrs: { src, href } },
    { type: 'video', attrs: { src, href } },
  ])
    assert.deepEqual(found(block), ['An image has no alternative text']);
  for (const block of [
    { type: 'product', attrs: { label: 'Buy' } },
    { type: 'video', attrs: { href: 'shop.example' } },
  ])
    assert.deepEqual(found(block), ['A button or link has no URL']);
});

test('a field is blank for contacts without a value if it has no fallback, however it is written', () => {
  const city = (source: string) => isBlankWithout('contact.address.city', source);
  assert.equal(city('{{ contact.address.city | default: "you" }}'), false);
  assert.equal(city('{{ contact.address.city | default: "you" }} {{-contact.address.city | upcase-}}'), true);
  assert.equal(city("{{ contact['address'].city }}{% assign place = contact.address.city | default: '' %}"), true);
  assert.equal(city('{% assign place = contact.address.city %}{{ place }}'), true);
  assert.equal(city('{{ contact.address.city_name }}'), false);
  for (const path of ["contact.attributes['sign-up']", 'contact.attributes["sign-up"]', 'contact.attributes.sign-up'])
    assert.equal(isBlankWithout('contact.attributes.sign-up', `{{ ${path} }}`), true, path);
  assert.equal(isBlankWithout('contact.attributes.my plan', "{{ contact.attributes['my plan'] | default: 'none' }}"), false);
});

test('a field that is only tested, or only shown where it has a value, is not blank', () => {
  const shown = '{{ contact.company }}';
  const cases: [string, boolean][] = [
    ['{% if contact.company %}For companies{% endif %}', false],
    [`{% if contact.company %}{% if contact.phone %}x{% endif %}${shown}{% endif %}`, false],
    [`{% if contact.company == "Acme" %}${shown}{% endif %}${shown}`, true],
    [`{% if contact.company == "Acme" %}Hi{% else %}${shown}{% endif %}`, true],
    [`{% if contact.company != "Acme" %}${shown}{% endif %}`, true],
    [`{% unless contact.company == "Acme" %}${shown}{% endunless %}`, true],
    [`{% if contact.company or contact.phone %}${shown}{% endif %}`, true],
    [`{% if contact.phone %}Hi{% elsif contact.company %}${shown}{% endif %}`, false],
  ];
  for (const [source, isBlank] of cases) assert.equal(isBlankWithout('contact.company', source), isBlank, source);
});
