import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksOf, hasFallback } from './checks.ts';

const good = {
  subject: 'Hi',
  html: '<img src="a" alt="A cat"><a href="{{ unsubscribe_url }}">Unsubscribe</a><p>1 Main St<br>\nBerlin</p>',
  postalAddress: '1 Main St\nBerlin',
  problems: [],
  isVerified: true,
  fromEmail: 'news@example.com',
  missing: [],
  brokenLinks: [],
  rendered: 0,
};
const titles = (change: Partial<Parameters<typeof checksOf>[0]>) => checksOf({ ...good, ...change }).map(({ title }) => title);

test('an email that has everything passes', () => {
  assert.deepEqual(titles({}), []);
});

test('every fault is named once', () => {
  const cases: [Partial<typeof good> & { postalAddress?: string | null }, RegExp][] = [
    [{ subject: ' ' }, /subject is missing/],
    [{ html: good.html.replace('unsubscribe_url', 'contact.email') }, /no unsubscribe link/],
    [{ html: good.html.replace('Berlin', '') }, /postal address/],
    [{ html: good.html.replace('A cat', '') }, /An image has no alternative text/],
    [{ html: `${good.html}<img src=b><img src="c" alt="">` }, /2 images/],
    [{ html: `${good.html}<a href="">Read</a>` }, /has no URL/],
    [{ brokenLinks: [{ url: 'https://a.example/b', problem: 'The page does not exist (404).' }] as never }, /link does not work/],
    [{ html: good.html + 'ä'.repeat(60_000) }, /^The email is 118 KB/],
    [{ isVerified: false }, /example\.com is not a verified domain/],
    [
      { html: `${good.html}{{ contact.city }}`, missing: [{ field: 'contact.city', count: 1_200 }], rendered: 5_000 } as never,
      /^1,200 of 5,000/,
    ],
  ];
  for (const [change, title] of cases) {
    const found = titles(change);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? '', title);
  }
  assert.match(titles({ postalAddress: null })[0] ?? '', /postal address/);
  assert.deepEqual(titles({ problems: ['Line 3: broken'] as never }), ['The email has an error']);
});

test('a field with a fallback may be empty', () => {
  assert.equal(hasFallback('{{ contact.first_name | default: "you" }}', 'contact.first_name'), true);
  assert.equal(hasFallback('{{ contact.first_name | default: "you" }} {{contact.first_name}}', 'contact.first_name'), false);
  assert.deepEqual(
    titles({ html: `${good.html}{{ contact.city | default: 'x' }}`, missing: [{ field: 'contact.city', count: 1 }] as never }),
    [],
  );
});
