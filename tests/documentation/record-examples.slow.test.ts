import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordExamples } from './record-examples.ts';

test('recording the examples twice gives the same bytes', async (t) => {
  const first = await recordExamples(t, {});
  assert.equal(JSON.stringify(await recordExamples(t, first)), JSON.stringify(first));
});
