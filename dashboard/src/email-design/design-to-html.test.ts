import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colorsOn, contrast } from './colors.ts';
import { type Brand, type DesignNode, newDesign } from './design.ts';
import { designToHtml } from './design-to-html.ts';
import { designToText } from './design-to-text.ts';
import { starters } from './starters.ts';
import { thumbnailOf } from './web-url.ts';

const brand: Brand = {
  company_name: 'Acme',
  website_url: null,
  logo_url: null,
  logo_width: 120,
  colors: { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' },
  font: 'arial',
  postal_address: null,
  footer_text: null,
  social_links: [],
};
const html = (...content: DesignNode[]) => designToHtml(newDesign(brand, content));
const text = (...content: DesignNode[]) => designToText(newDesign(brand, content)).split('\n\n-- ')[0];
const paragraph = (words: string): DesignNode => ({ type: 'paragraph', content: [{ type: 'text', text: words }] });
const section = (attrs: Record<string, unknown>, ...content: DesignNode[]): DesignNode => ({ type: 'section', attrs, content });
const bag = {
  src: 'https://shop.example/bag.png',
  name: 'A bag',
  price: '{{ data.price }}',
  description: 'Blue,\nand large',
  label: 'Buy',
  href: 'https://shop.example/bag',
};

test('a section has its background, its space, and text that can be read on it', () => {
  const button = { type: 'button', attrs: { label: 'Go', href: 'https://a.example/' } };
  const email = html(
    paragraph('Before'),
    section({ background: '#7f1d1d', padding: 'large' }, paragraph('Inside'), button),
    paragraph('After'),
  );
  assert.match(email, /<td class="e-row" bgcolor="#7f1d1d" style="padding:56px 32px 40px;background:#7f1d1d">/);
  assert.match(email, /<p style="[^"]*color:#ffffff">Inside/);
  assert.equal(email.match(/<td class="e-row"/g)?.length, 3);
  assert.equal(text(section({}, paragraph('Inside'))), 'Inside');
});

test('a button stands where it is aligned', () => {
  const button = (align: string) => html({ type: 'button', attrs: { label: 'Go', href: 'https://a.example/', align } });
  assert.match(button('center'), /align="center" style="margin:4px auto 24px"/);
  assert.match(button('right'), /align="right" style="margin:4px 0 24px"/);
});

test('dark mode colors a section with the background of the page, and no other', () => {
  assert.match(html(section({ background: 'background' }, paragraph('Inside'))), /e-row e-page.*<p class="e-text"[^>]*>Inside/s);
  for (const background of ['tint', 'primary', 'text', '#00ff00', undefined])
    assert.match(html(section({ background }, paragraph('Inside'))), /<td class="e-row" bgcolor.*<p style[^>]*>Inside/s);
});

test('text, links, muted text and buttons can be read on every background', () => {
  for (const share of Array.from({ length: 52 }, (_, index) => index * 5)) {
    const part = share.toString(16).padStart(2, '0');
    for (const background of [`#${part}${part}${part}`, `#${part}40c0`, `#10${part}40`, `#f0${part}00`]) {
      const { link, muted, button, label, ...other } = colorsOn(background, brand.colors);
      for (const color of [other.text, link, muted]) assert.ok(contrast(color, background) >= 4.5, `${color} on ${background}`);
      assert.ok(contrast(label, button) >= 4.5 && contrast(button, background) >= 1.25, `${label} on ${button} on ${background}`);
    }
  }
});

test('a spacer has a height from 8 to 96 pixels and no text', () => {
  for (const [height, shown] of [
    [40, 40],
    [1, 8],
    [1e9, 96],
    ['9px;}', 32],
    [undefined, 32],
  ])
    assert.ok(
      html({ type: 'spacer', attrs: { height } }).includes(`<td height="${shown}" style="height:${shown}px;line-height:${shown}px;`),
    );
  assert.equal(text(paragraph('a'), { type: 'spacer' }, paragraph('b')), 'a\n\nb');
});

test('a product has a picture, a name, a price, a description and a button, and leaves out what is empty', () => {
  const email = html({ type: 'product', attrs: bag });
  for (const part of ['alt="A bag" width="220"', '>A bag</p>', '>{{ data.price }}</p>', '>Blue,<br>and large</p>', '>Buy</a>'])
    assert.ok(email.includes(part), part);
  assert.equal(email.match(/href="https:\/\/shop\.example\/bag"/g)?.length, 2);
  assert.equal(text({ type: 'product', attrs: bag }), 'A bag\n{{ data.price }}\nBlue,\nand large\nBuy: https://shop.example/bag');
  const bare = html({ type: 'product', attrs: { name: 'A bag' } });
  assert.ok(!/<img|<a [^>]*href=""|<p[^>]*><\/p>/.test(bare));
  assert.equal(text({ type: 'product', attrs: { name: 'A bag' } }), 'A bag');
});

test('a product in a column stands under its picture, which is as wide as the column', () => {
  const column = { type: 'column', content: [{ type: 'product', attrs: bag }] };
  assert.match(html({ type: 'columns', content: [column, column] }), /alt="A bag" width="252"/);
});

test('a video is a linked picture with a bar under it, for YouTube without choosing one', () => {
  const attrs = { href: 'https://youtu.be/dQw4w9WgXcQ', alt: 'A song', label: 'Listen' };
  const email = html({ type: 'video', attrs });
  assert.match(
    email,
    /<a href="https:\/\/youtu\.be\/dQw4w9WgXcQ"><img [^>]*src="https:\/\/img\.youtube\.com\/vi\/dQw4w9WgXcQ\/hqdefault\.jpg" alt="A song"/,
  );
  assert.match(email, /&#9654;&#65038;&nbsp; Listen<\/a>/);
  assert.equal(text({ type: 'video', attrs }), 'Listen: https://youtu.be/dQw4w9WgXcQ');
  assert.ok(!html({ type: 'video', attrs: { href: 'https://vimeo.com/1' } }).includes('<img'));
});

test('the picture of a video is known for every form of a YouTube link, and only there', () => {
  for (const link of [
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://m.youtube.com/watch?t=1&v=dQw4w9WgXcQ&x=1',
    'http://youtube.com/shorts/dQw4w9WgXcQ?a',
  ])
    assert.equal(thumbnailOf(link), 'https://img.youtube.com/vi/dQw4w9WgXcQ/hqdefault.jpg', link);
  for (const link of ['', 'https://vimeo.com/1', 'https://youtu.be/short', 'https://evil.example/?https://youtu.be/dQw4w9WgXcQ'])
    assert.equal(thumbnailOf(link), '', link);
});

test('no attribute leaves its place', () => {
  const hostile = ['"><script>x</script>', "red;}</style><b x='", 'javascript:alert(1)', '#fff;position:fixed', 'data:text/html,<b>'];
  for (const value of hostile) {
    const every = Object.fromEntries([...Object.keys(bag), 'alt', 'background', 'padding', 'height', 'align'].map((name) => [name, value]));
    const blocks = ['product', 'video', 'spacer'].map((type) => ({ type, attrs: every }));
    const email = html(section(every, ...blocks), ...blocks);
    const written = email.replace(/<p[^>]*>[^<]*<\/p>|&nbsp; [^<]*<|>[^<]*<\/a>/g, '');
    assert.ok(!/<script|<b\b|javascript:|data:text|position:|\bred;/.test(written), value);
    // A style has only what is written here.
    for (const [, style = ''] of email.matchAll(/ style="([^"]*)"/g)) assert.ok(!style.includes(value) && !/[<>{}]/.test(style), style);
    for (const [, address = ''] of email.matchAll(/ (?:href|src)="([^"]*)"/g))
      assert.match(address, /^(?:|https?:.*|\{\{ unsubscribe_url \}\})$/);
  }
});

test('the buttons of a starter lead to the website of the brand, if it has one', () => {
  for (const { id, content } of starters) {
    const linksOf = (website_url: string | null) =>
      [...designToHtml(newDesign({ ...brand, website_url }, content)).matchAll(/href="(https:[^"]*)"/g)].map(([, href]) => href);
    const placeholders = linksOf(null);
    assert.deepEqual([...new Set(placeholders)], placeholders.length > 0 ? ['https://example.com/'] : [], id);
    assert.deepEqual(
      linksOf('https://shop.example/'),
      placeholders.map(() => 'https://shop.example/'),
      id,
    );
  }
});
