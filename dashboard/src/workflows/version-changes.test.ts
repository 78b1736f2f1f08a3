import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf } from './version-changes.ts';
import type { Definition } from './workflow-json.ts';

const before: Definition = {
  trigger: { type: 'manual' },
  entry: { policy: 'once' },
  on_error: 'continue',
  steps: [
    { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
    { id: 'tag', type: 'add_tag', tag: 'welcomed' },
  ],
};

test('steps that came, changed and went are named, and what begins a run', () => {
  const version: Definition = {
    trigger: { type: 'contact_created' },
    entry: { policy: 'once' },
    on_error: 'exit',
    steps: [
      { id: 'wait', type: 'delay', for: 'P2D', next: 'out' },
      { id: 'out', name: 'Goodbye', type: 'exit' },
    ],
  };
  assert.deepEqual(changesOf(version, before), [
    'Begins otherwise',
    'Ends after an error',
    'New step “Goodbye”',
    'Changed step “Wait”',
    'Without the step “Add a tag”',
  ]);
});

test('the order of members is no change, that of steps is', () => {
  const [wait, tag] = before.steps;
  assert.ok(wait && tag);
  assert.deepEqual(changesOf({ ...before, trigger: { type: 'manual' } }, before), []);
  assert.deepEqual(changesOf({ ...before, steps: [tag, wait] }, before), ['Begins at another step']);
});
