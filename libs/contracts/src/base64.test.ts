import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import { z } from 'zod';
import { Base64, isBase64 } from './base64.ts';

test('base64 is what the pattern of zod accepts', () => {
  const text = fc.oneof(
    fc.base64String(),
    fc.string({ unit: fc.constantFrom('A', 'Q', 'z', '9', '+', '/', '=', '-', '_', ' ', '\n', 'é', '€'), maxLength: 12 }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
  );
  fc.assert(
    fc.property(text, (value) => assert.equal(isBase64(value), z.base64().safeParse(value).success, JSON.stringify(value))),
    { numRuns: 5_000 },
  );
  assert.equal(Base64.safeParse('no base64!').error?.issues[0]?.code, 'invalid_format');
});

test('ten megabytes of base64 are checked in a few milliseconds', () => {
  const text = 'abcd'.repeat(2_500_000);
  Base64.parse(text);
  const clock = startCpuClock();
  Base64.parse(text);
  assert.ok(clock() < 50);
});
