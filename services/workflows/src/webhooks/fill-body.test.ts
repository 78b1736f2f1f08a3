import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredRun } from '../runs/runs-store.ts';
import { BodyTooLarge, fillBody } from './fill-body.ts';

const now = new Date('2026-05-01T10:00:00.000Z');
const runWith = (data: Record<string, unknown>): StoredRun => ({
  id: 'run_1',
  account_id: 'account_1',
  workflow_id: 'workflow_1',
  workflow_name: 'W',
  version: 1,
  contact_id: 'contact_1',
  state: 'waiting',
  reason: null,
  step: 'hook',
  waiting: null,
  sequence: 3,
  revision: 1,
  chain: null,
  trigger: { type: 'api', event_id: null },
  data,
  created_at: now,
  ended_at: null,
  due_at: null,
});

test('a body that would take all memory is not made', () => {
  const run = runWith({ a: 'x'.repeat(16_000) });
  const mostBytes = 256 * 1_024;
  // As many as fit into the largest request: filled in they are more than a gibibyte.
  for (const body of ['{{data.a}} '.repeat(95_000), Array.from({ length: 80_000 }, () => '{{data.a}}')]) {
    assert.throws(() => fillBody(body, run, 'key', mostBytes), BodyTooLarge);
  }
  const sixteen = Array.from({ length: 16 }, () => '{{ data.a }}');
  assert.deepEqual(fillBody(sixteen, run, 'key', mostBytes), Array(16).fill('x'.repeat(16_000)));
});
