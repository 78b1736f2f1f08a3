import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf, trackedLinks, withMarks } from '@mp/contracts/tracked-links';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import { replaceMarked } from './tracked-links.ts';

/** The regular expression that found the links before: correct, but slow for malicious templates. */
const anchor = /(<a\b[^>]*?\shref\s*=\s*)(["'])(.*?)\2/gis;

test('finds the same links as a regular expression', () => {
  const piece = fc.constantFrom(
    ...['<a', '<A', ' ', '\n', 'href', 'HREF', '=', '"', "'", '>', '<', 'x', 'https://a.b/', '{{ contact.id }}', '</a>'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      const tracked = (address: string) =>
        /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i.test(address.trim()) && (address.includes('{{') || URL.canParse(address.trim()));
      const addresses = [...html.matchAll(anchor)].map(([, , , address = '']) => address).filter(tracked);
      assert.deepEqual(
        trackedLinks(html).map(({ target }) => target === null),
        addresses.map((address) => address.includes('{{')),
      );
      const found: string[] = [];
      const back = replaceMarked(withMarks(html, 'M-'), 'M-', (number, address) => {
        found[number] = address;
        return address;
      });
      assert.equal(back, html);
      assert.deepEqual(found, addresses);
    }),
    { numRuns: 2_000 },
  );
});

test('processes the largest malicious templates in linear time', () => {
  for (const piece of ['<a ', '<a href="x" ', ' href="', `<a href='<a href="`, '<a href = ', '<a href="https://a.b">']) {
    const clock = startCpuClock();
    const html = `<a ${piece.repeat(400_000 / piece.length)}`;
    replaceMarked(withMarks(html, 'M-'), 'M-', () => 'x');
    assert.ok(trackedLinks(html).length <= 1_000);
    assert.ok(clock() < 5_000, piece);
  }
});

test('a target is an ASCII URL, whatever the script of the address', () => {
  assert.equal(targetOf('https://example.com/a?b=1&amp;c=2'), 'https://example.com/a?b=1&c=2');
  assert.equal(
    targetOf(' https://example.com/日本?q=✓&amp;e=🎉#ü '),
    'https://example.com/%E6%97%A5%E6%9C%AC?q=%E2%9C%93&e=%F0%9F%8E%89#%C3%BC',
  );
  for (const address of ['javascript:alert(1)', 'https://', '/path', `https://a.b/${'x'.repeat(3_000)}`])
    assert.equal(targetOf(address), undefined);
});

test('a marked address that Liquid rendered as text stays text, and affects nothing else', () => {
  const marked = withMarks('<a href="https://a.b/">1</a><a href="https://c.d/">2</a>', 'M-');
  const rendered = marked.replace('<a href="M-0', '&lt;a href=&quot;M-0').replace('">1', '&quot;&gt;1');
  const replaced = replaceMarked(rendered, 'M-', (number) => `link ${number}`);
  assert.equal(replaced, '&lt;a href=&quot;https://a.b/&quot;&gt;1</a><a href="link 1">2</a>');
});
