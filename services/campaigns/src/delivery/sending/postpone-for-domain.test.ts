import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import { domainWaitFrom } from '../../ledger/recipients/domain-wait.ts';
import { postponeForDomain } from './postpone-for-domain.ts';

const dayMs = 86_400_000;
const begin = new Date('2026-01-01T00:00:00.000Z');
const after = (days: number) => new Date(begin.getTime() + days * dayMs);
const rowWith = (domain_wait?: Claimed['domain_wait']) =>
  ({ _id: trustedId<'recipient'>('recipient_1'), detail: null, ...(domain_wait && { domain_wait }) }) as Claimed;
const outcomeAt = (days: number, row: Claimed) => {
  const made = postponeForDomain(row, after(days + 1), 5 * dayMs, after(days));
  return 'state' in made ? made.state : 'waits';
};

test('an email waits for its domain for at most five days', () => {
  assert.equal(outcomeAt(0, rowWith()), 'waits');
  assert.equal(outcomeAt(4.9, rowWith({ from: begin, until: after(4.9) })), 'waits');
  assert.equal(outcomeAt(5.1, rowWith({ from: begin, until: after(5.1) })), 'failed');
  assert.deepEqual(domainWaitFrom(rowWith({ from: begin, until: after(2) }), after(2.5)), begin, 'also over quiet hours');
});

test('the days in which a campaign was paused do not count', () => {
  const paused = rowWith({ from: begin, until: after(0.1) });
  assert.equal(outcomeAt(7, paused), 'waits');
  assert.deepEqual(domainWaitFrom(paused, after(7)), after(7));
});
