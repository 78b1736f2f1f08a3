import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { MongoNetworkError } from 'mongodb';
import { createUsageBreakdown } from './usage-breakdown.ts';
import type { UsageBreakdownStore } from './usage-breakdown-store.ts';

/** A breakdown over a fake store; `written` has what reached it, by name. */
function setUp() {
  const state = { away: false, calls: 0, largest: 0, written: new Map<string, number>() };
  const errors: unknown[] = [];
  const add: UsageBreakdownStore['add'] = async (rows) => {
    state.calls += 1;
    state.largest = Math.max(state.largest, rows.length);
    if (state.away) throw new MongoNetworkError('away');
    for (const { name, requests } of rows) state.written.set(name, (state.written.get(name) ?? 0) + requests);
    return [];
  };
  const breakdown = createUsageBreakdown({ store: { add }, onError: (error) => void errors.push(error) });
  const note = (keys: number) => {
    for (let key = 0; key < keys; key += 1) breakdown.note(trustedId<'account'>('account_1'), '2026-03-01', `key_${key}`, 'contacts:read');
  };
  return { breakdown, state, errors, note };
}

test('writes thousands of busy keys in small batches, each request once', async () => {
  const { breakdown, state, note } = setUp();
  note(2_500);
  note(1);
  await breakdown.flush();
  assert.ok(state.largest <= 100, `${state.largest} rows in one write`);
  assert.deepEqual([state.written.size, state.written.get('key_0'), state.written.get('contacts:read')], [2_501, 2, 2_501]);
});

test('writes the rows that have waited longest first', async () => {
  const { breakdown, state, note } = setUp();
  note(300);
  await breakdown.flush({ maxRows: 200, overMs: 0 });
  note(100);
  await breakdown.flush({ maxRows: 200, overMs: 0 });
  assert.equal(state.written.size, 301);
  assert.equal(state.written.get('key_299'), 1);
});

test('while the database is unavailable, tries one write at a time and keeps the counts', async () => {
  const { breakdown, state, errors, note } = setUp();
  note(1_000);
  state.away = true;
  await breakdown.flush();
  assert.deepEqual([state.calls, errors.length], [1, 1]);
  state.away = false;
  await breakdown.flush();
  assert.deepEqual([state.written.size, state.written.get('contacts:read')], [1_001, 1_000]);
});

test('stopping during a paced write skips the pauses and writes the rest', async () => {
  const { breakdown, state, note } = setUp();
  note(1_000);
  const written = breakdown.flush({ maxRows: 100, overMs: 60 * 60_000 });
  note(1);
  await breakdown.stop();
  await written;
  assert.deepEqual([state.written.size, state.written.get('key_0'), state.written.get('contacts:read')], [1_001, 2, 1_001]);
});
