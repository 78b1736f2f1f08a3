import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withNewest } from './event-stream.ts';

const event = (id: number) => ({
  id: `activity_${id}`,
  visitor: 'visitor_1',
  event: '$pageview',
  timestamp: '2026-01-01T00:00:00.000Z',
  received_at: '2026-01-01T00:00:00.000Z',
  contact_id: null,
  bot: false,
  backfill: false,
  properties: {},
  page: null,
  value: null,
});
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => Number(id.split('_')[1]));

test('the newest events are shown first, each once, up to a maximum', () => {
  const first = withNewest([], { events: [event(1), event(2)] });
  const second = withNewest(first, { events: [event(2), event(3)] });
  assert.deepEqual(idsOf(second), [3, 2, 1]);
  const many = withNewest(second, { events: Array.from({ length: 60 }, (_, index) => event(10 + index)) });
  assert.deepEqual([many.length, idsOf(many)[0], idsOf(many).at(-1)], [50, 69, 20]);
});
