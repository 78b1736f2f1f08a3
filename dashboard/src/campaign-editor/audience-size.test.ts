import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audienceRule } from './audience-size.ts';

test('an audience is counted as what it includes without what it excludes', () => {
  const rule = (include: string[], exclude: string[] = []) => audienceRule({ include, exclude });
  assert.deepEqual(rule(['a', 'b'], ['c']), {
    all: [{ any: [{ segment: 'a' }, { segment: 'b' }] }, { not: { any: [{ segment: 'c' }] } }],
  });
  assert.deepEqual(rule(['all', 'a'], ['c']), { all: [{ not: { any: [{ segment: 'c' }] } }] });
});

test('nobody and all contacts need no rule', () => {
  for (const include of [[], ['all'], ['all', 'a']]) assert.equal(audienceRule({ include, exclude: [] }), undefined);
});
