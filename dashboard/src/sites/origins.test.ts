import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originsError } from './origins.ts';

test('the addresses of a website are origins, with or without a wildcard and a port', () => {
  for (const origin of ['https://shop.example.com', 'https://*.example.com', 'http://localhost:3000', ' HTTPS://Shop.example.com '])
    assert.equal(originsError([origin]), null, origin);
});

test('an error names the wrong address and what is probably meant', () => {
  assert.equal(originsError([]), 'Enter the address of your website.');
  const meant = (wrong: string) => originsError(['https://example.com', wrong]);
  assert.equal(
    meant('shop.example.com'),
    '“shop.example.com” is not the address of a website. Write https://shop.example.com, without a path.',
  );
  assert.match(meant('http://shop.example.com/pricing?a=1') ?? '', /Write http:\/\/shop\.example\.com, without a path\.$/);
  assert.match(meant('https://*.example.com/shop') ?? '', /Write https:\/\/\*\.example\.com, without a path\.$/);
  for (const other of ['shop', 'ftp://shop.example.com', 'a b', '*'])
    assert.match(meant(other) ?? '', /Write it like https:\/\/shop\.example\.com, without a path\.$/, other);
});
