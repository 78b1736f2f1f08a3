import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import { outcomeOf } from './retry-deferred.ts';
import { defaultTimings } from './timings.ts';

const { retry } = defaultTimings;
const minuteMs = 60_000;

/** After how long an email is accepted that a domain greylists for `greyMs`. */
function acceptedAfter(greyMs: number): number {
  let at = new Date('2026-01-01T00:00:00.000Z');
  const began = at.getTime();
  for (let attempts = 0; at.getTime() < began + greyMs; attempts += 1) {
    const row = { _id: trustedId<'recipient'>('recipient_1'), attempts } as Claimed;
    const { dueAt } = outcomeOf(row, { delivery: { kind: 'deferred', response: '451 4.7.1 Greylisted' }, retry, serverBackAt: at, at });
    assert.ok(dueAt && dueAt > at, `the email failed after ${attempts + 1} attempts`);
    at = dueAt;
  }
  return at.getTime() - began;
}

test('an email that is greylisted for up to five minutes is accepted within eight, and one for four hours within eight hours', () => {
  for (let times = 0; times < 500; times += 1) {
    for (const minutes of [0, 1, 3, 5]) {
      const after = acceptedAfter(minutes * minuteMs);
      assert.ok(after <= 8 * minuteMs, `${minutes} minutes: ${after} ms`);
    }
    assert.ok(acceptedAfter(240 * minuteMs) <= 480 * minuteMs);
  }
});

test('retries of one batch are spread', () => {
  assert.ok(new Set(Array.from({ length: 10 }, () => acceptedAfter(minuteMs))).size > 1);
});
