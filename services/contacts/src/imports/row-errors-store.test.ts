import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesIn } from './row-errors-store.ts';

test('whatever may be an address in a row is found', () => {
  const cells = [
    'Ada <ada@example.com>, "bo@example.com"',
    '{"email":"cy@example.com"}',
    '@nobody',
    'nobody@',
    'no address',
    'dé@bücher.example',
  ];
  assert.deepEqual(addressesIn([...cells, 'ada@example.com']), [
    'ada@example.com',
    'bo@example.com',
    'cy@example.com',
    'dé@bücher.example',
  ]);
});

test('also in no time in a cell that is one long word', () => {
  const begun = performance.now();
  assert.deepEqual(addressesIn(['x'.repeat(200_000), '@'.repeat(200_000), `${'x'.repeat(200_000)} ada@example.com`]), ['ada@example.com']);
  assert.ok(performance.now() - begun < 1_000);
});
