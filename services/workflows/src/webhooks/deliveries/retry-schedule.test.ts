import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptAt, retryAfterOf } from './retry-schedule.ts';

const now = new Date('2026-05-01T10:00:00.000Z');
const pauseAfter = (tries: number, retryAfterMs = 0, random = 0) => {
  const at = nextAttemptAt(tries, now, retryAfterMs, random);
  return at && (at.getTime() - now.getTime()) / 1_000;
};

test('a delivery gets eight attempts on the documented schedule, with up to a tenth of jitter', () => {
  const hour = 3_600;
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => pauseAfter(tries)),
    [5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 10 * hour, null],
  );
  assert.equal(pauseAfter(1, 0, 1), 5.5);
});

test('Retry-After postpones an attempt by up to a day, and never brings it forward', () => {
  const ms = (header: string | undefined) => retryAfterOf(header, now);
  assert.deepEqual([ms('120'), ms('Fri, 01 May 2026 10:01:00 GMT'), ms('soon'), ms('-1'), ms(undefined)], [120_000, 60_000, 0, 0, 0]);
  assert.equal(pauseAfter(1, 120_000), 120);
  assert.equal(pauseAfter(4, 1_000), 7_200);
  assert.equal(pauseAfter(1, 10 * 86_400_000), 86_400);
});
