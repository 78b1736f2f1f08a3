import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickMapHtml, clicksByLink, numberedLink } from './link-clicks.ts';

const numbered = (html: string) => [...clickMapHtml(html).matchAll(/<a href="([^"]*)"/g)].map(([, address = '']) => numberedLink(address));

test('the links of the click map have the numbers that they were sent with, even behind parts that only some recipients get', () => {
  const html = `
    {% if contact.address.city == "Berlin" %}<a href="https://shop.example/berlin">Berlin</a>{% endif %}
    <!--[if mso]><a href="https://shop.example/outlook">Outlook</a><![endif]-->
    {% comment %}<a href="https://shop.example/old">Old</a>{% endcomment %}
    <a href="mailto:a@shop.example">Write</a>
    <a href="https://forum.example/t/42">Forum</a>
    <a href="https://shop.example/?for={{ contact.id }}">Yours</a>
    <a href="{{ unsubscribe_url }}">Unsubscribe</a>`;
  assert.deepEqual(numbered(html), [
    { href: 'https://shop.example/berlin', number: 0 },
    { href: 'https://shop.example/outlook', number: 1 },
    { href: 'mailto:a@shop.example' },
    { href: 'https://forum.example/t/42', number: 3 },
    { href: 'https://shop.example/?for={{ contact.id }}', number: 4 },
    { href: '{{ unsubscribe_url }}' },
  ]);
  assert.doesNotMatch(clickMapHtml(html), /\{%/);
});

test('the clicks of the click map are those of one variant', () => {
  const item = (variant: string | null, link: number | null, human: number) => {
    const none = { total: { human: 0, machine: 0 }, unique: { human: 0, machine: 0 } };
    const others = { domain: null, device: null, url: null, hour: null, local_hour: null, counts: null, rates: null };
    return { ...others, variant, link, opened: none, clicked: { ...none, unique: { human, machine: 9 } } };
  };
  const items = [item('a', 0, 4), item('b', 0, 1), item('b', 2, 3)];
  assert.deepEqual(
    [...clicksByLink(items, 'b')],
    [
      [0, 1],
      [2, 3],
    ],
  );
  assert.deepEqual([...clicksByLink([item(null, 1, 2)], null)], [[1, 2]]);
});
