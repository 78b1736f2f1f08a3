import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engagementOverTime } from './engagement-over-time.ts';

const item = (hour: string, opens: number, clicks: number) => {
  const counted = (human: number) => ({ unique: { human, machine: 0 }, total: { human, machine: 9 } });
  return { hour, opened: counted(opens), clicked: counted(clicks) };
};

test('shows human opens and clicks for every hour, from the hour before the first one to the last', () => {
  const { interval, points } = engagementOverTime([item('2026-03-01T10:00:00Z', 5, 1), item('2026-03-01T13:00:00Z', 2, 2)]);
  assert.equal(interval, 'hour');
  assert.deepEqual(
    points.map(({ values }) => values),
    [
      [0, 0],
      [5, 1],
      [0, 0],
      [0, 0],
      [2, 2],
    ],
  );
});

test('shows a long report by day', () => {
  const { interval, points } = engagementOverTime([item('2026-03-01T10:00:00Z', 5, 1), item('2026-03-09T10:00:00Z', 2, 0)]);
  assert.deepEqual([interval, points.length, points[0]?.values, points.at(-1)?.values], ['day', 9, [5, 1], [2, 0]]);
});

test('has no points without opens and clicks', () => {
  assert.deepEqual(engagementOverTime([]), { interval: 'hour', points: [] });
});
