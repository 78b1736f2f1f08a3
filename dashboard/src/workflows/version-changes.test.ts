import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Definition } from './definition.ts';
import { changesOf, marksOf } from './version-changes.ts';

const before: Definition = {
  trigger: { type: 'manual' },
  entry: { policy: 'once' },
  on_error: 'continue',
  steps: [
    { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
    { id: 'tag', type: 'add_tag', tag: 'welcomed' },
  ],
};

test('lists added, changed and removed steps, and a changed trigger', () => {
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
    'Changed trigger',
    'Exits after an error',
    'Added step “Goodbye”',
    'Changed step “Wait”',
    'Removed step “Add tag”',
  ]);
});

test('ignores the order of keys, but not the order of steps', () => {
  const [wait, tag] = before.steps;
  assert.ok(wait && tag);
  assert.deepEqual(changesOf({ ...before, trigger: { type: 'manual' } }, before), []);
  assert.deepEqual(changesOf({ ...before, steps: [tag, wait] }, before), ['Changed first step']);
});

test('marks the steps of two versions: removed in the earlier, added in the later, changed in both', () => {
  const [wait, tag] = before.steps;
  assert.ok(wait && tag);
  const later = {
    steps: [
      { ...wait, name: 'Pause' },
      { id: 'out', type: 'exit' as const },
    ],
  };
  assert.deepEqual(marksOf(later, before), {
    before: new Map([
      ['wait', 'changed'],
      ['tag', 'removed'],
    ]),
    after: new Map([
      ['wait', 'changed'],
      ['out', 'added'],
    ]),
  });
  assert.deepEqual(marksOf(before, before).after.size, 0);
});

test('lists changed rules for every run', () => {
  const unsubscribed = [{ type: 'unsubscribed' as const }];
  const quiet_hours = { from: '21:00', to: '08:00', timezone: 'UTC' };
  const rules: Definition = { ...before, exit_when: [], quiet_hours: null, max_concurrent: null, priority: 'normal' };
  assert.deepEqual(changesOf({ ...rules, exit_when: unsubscribed, quiet_hours, max_concurrent: 5, priority: 'high' }, rules), [
    'Changed exit conditions',
    'Changed quiet hours',
    'Changed the limit of open runs',
    'Changed priority',
  ]);
});
