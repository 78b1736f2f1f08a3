import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicIdFor } from './validate-sending.ts';

test('the ID of a new topic comes from its name', () => {
  for (const [name, id] of [
    ['Product news', 'product-news'],
    ['  Über uns & mehr! ', 'uber-uns-mehr'],
    ['日本', ''],
    ['a'.repeat(70), 'a'.repeat(64)],
  ])
    assert.equal(topicIdFor(name ?? ''), id);
});
