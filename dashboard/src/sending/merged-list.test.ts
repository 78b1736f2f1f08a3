import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergedList } from './merged-list.ts';

type Topic = { id: string; name: string };
const topic = (id: string, name = id): Topic => ({ id, name });
const merged = (before: Topic[], mine: Topic[], stored: Topic[]) => mergedList({ before, mine, stored }, ({ id }) => id);

test('the changes of two users to one list are both kept', () => {
  const before = [topic('news'), topic('events')];
  const stored = [topic('news'), topic('events', 'Meetups'), topic('offers')];
  assert.deepEqual(merged(before, [topic('news', 'Product news'), topic('jobs'), topic('events')], stored), [
    topic('news', 'Product news'),
    topic('events', 'Meetups'),
    topic('offers'),
    topic('jobs'),
  ]);
});

test('an item that the user removed stays removed, and one that only the other user removed too', () => {
  const before = [topic('news'), topic('events')];
  assert.deepEqual(merged(before, [topic('events')], before), [topic('events')]);
  assert.deepEqual(merged(before, before, [topic('news')]), [topic('news')]);
});
