import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { addressesIn } from './row-errors-store.ts';

test('finds everything in a row that may be an email address', () => {
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

test('is fast even for a cell that is one long word', () => {
  const cpuTime = startCpuClock();
  assert.deepEqual(addressesIn(['x'.repeat(200_000), '@'.repeat(200_000), `${'x'.repeat(200_000)} ada@example.com`]), ['ada@example.com']);
  assert.ok(cpuTime() < 1_000);
});
