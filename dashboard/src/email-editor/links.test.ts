import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksIn } from './links.ts';

test('the links of an email are its web links, each once, without the unsubscribe link', () => {
  const html = `<a href="https://shop.example/?a=1&amp;b=2">Shop</a><a class=b href='https://shop.example/?a=1&b=2'>Again</a>
    <a href="http://localhost:8080/t/preview">Unsubscribe</a><a href="mailto:ada@example.com">Ada</a><a href="">Nothing</a>`;
  assert.deepEqual(linksIn(html), ['https://shop.example/?a=1&b=2']);
  assert.deepEqual(
    linksIn(`<link href="https://fonts.example/"><a
      href="https://forum.example/t/42">Forum</a><a href="https://a.example/${'a'.repeat(2_048)}">Long</a>`),
    ['https://forum.example/t/42'],
  );
  assert.deepEqual(linksIn(Array.from({ length: 60 }, (_, index) => `<a href="https://a.example/${index}">`).join('')).length, 50);
});
