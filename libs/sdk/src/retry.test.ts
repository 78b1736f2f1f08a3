import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { delayBefore, retryAfterOf } from './retry.ts';

test('a delay is never shorter than Retry-After, and without it between half and all of the backoff', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.option(fc.double({ min: 0, max: 200, noNaN: true }), { nil: undefined }),
      random,
      (retry, retryAfter, value) => {
        const delay = delayBefore(retry, retryAfter, () => value);
        if (retryAfter !== undefined && retryAfter > 60) return delay === undefined;
        if (delay === undefined) return false;
        if (retryAfter !== undefined) return delay >= retryAfter * 1_000 && delay <= retryAfter * 1_000 + 500;
        const backoff = Math.min(8_000, 500 * 2 ** (retry - 1));
        return delay >= backoff / 2 && delay <= backoff;
      },
    ),
  );
});

test('Retry-After is a number of seconds or a date; anything else is ignored', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const of = (value: string) => retryAfterOf(new Headers({ 'retry-after': value }), now);
  assert.deepEqual(
    [of('7'), of('Thu, 01 Jan 2026 00:00:30 GMT'), of('Wed, 31 Dec 2025 00:00:00 GMT'), of('soon'), retryAfterOf(new Headers())],
    [7, 30, 0, undefined, undefined],
  );
});
