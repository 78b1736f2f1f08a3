import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relative, timeOfDay } from './relative.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test('writes a time in the largest unit that is precise enough', () => {
  const formatted = Object.fromEntries(
    [
      '2026-03-01T12:00:20Z',
      '2026-03-01T11:59:30Z',
      '2026-03-01T11:30:00Z',
      '2026-03-01T10:00:00Z',
      '2026-02-27T12:00:00Z',
      '2026-03-04T11:59:30Z',
      '2026-04-25T12:00:00Z',
      '2026-07-01T12:00:00Z',
      '2029-03-01T12:00:00Z',
    ].map((at) => [at, relative(at, now)]),
  );
  assert.deepEqual(formatted, {
    '2026-03-01T12:00:20Z': 'in a moment',
    '2026-03-01T11:59:30Z': 'just now',
    '2026-03-01T11:30:00Z': '30 minutes ago',
    '2026-03-01T10:00:00Z': '2 hours ago',
    '2026-02-27T12:00:00Z': '2 days ago',
    '2026-03-04T11:59:30Z': 'in 3 days',
    '2026-04-25T12:00:00Z': 'in 55 days',
    '2026-07-01T12:00:00Z': 'in 4 months',
    '2029-03-01T12:00:00Z': 'in 3 years',
  });
});

test('writes a time of today without its date', () => {
  assert.equal(timeOfDay('2026-03-01T10:42:59Z', now), '10:42');
  assert.match(timeOfDay('2026-02-28T10:42:59Z', now), /Feb 28, 2026/);
});
