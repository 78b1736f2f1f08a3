import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from '../form/differences.ts';
import { comparableWorkflow } from './comparable-workflow.ts';
import type { Definition } from './definition.ts';

const definition: Definition = {
  trigger: { type: 'contact_created' },
  entry: { policy: 'once' },
  steps: [
    { id: 'wait', type: 'delay', for: 'P1D', next: 'which' },
    {
      id: 'which',
      name: 'Berlin?',
      type: 'branch',
      branches: [{ when: { field: 'address.city', op: 'eq', value: 'Berlin' }, to: 'mail' }],
      else: null,
    },
    { id: 'mail', type: 'send', subject: 'Hi', html: '<p>Hi</p>', from: { email: 'a@example.com' } },
    { id: 'mail2', type: 'send', subject: 'Still there?', html: '<p>Hi</p>', from: { email: 'a@example.com' } },
  ],
};
const named = (id: string) => id;

test('the changes of a workflow are those of its steps by name, in words', () => {
  const yours = structuredClone(definition);
  yours.trigger = { type: 'schedule', cron: '0 9 * * mon', timezone: 'Europe/Berlin', segment_id: 'vip' };
  yours.steps[0] = { id: 'wait', type: 'delay', for: 'P2D', next: 'which' };
  yours.steps[1] = {
    ...{ id: 'which', name: 'Berlin?', type: 'branch', else: null },
    branches: [{ when: { field: 'address.city', op: 'eq', value: 'Hamburg' }, to: 'mail' }],
  };
  const comparable = (one: Definition) => comparableWorkflow({ name: 'Welcome', description: '', definition: one }, named);
  const rows = differencesOf(comparable(definition), comparable(yours)).map((row) => Object.values(row));
  assert.deepEqual(rows[0], [
    'Trigger',
    'When a contact is created',
    'Every Monday at 09:00 (Europe/Berlin), for each contact in the segment vip',
  ]);
  assert.deepEqual(rows.slice(-2), [
    ['Steps: Wait: For', '1 day', '2 days'],
    ['Steps: Berlin?: Branches: 1: Conditions', 'City is “Berlin”', 'City is “Hamburg”'],
  ]);
  assert.equal(
    rows.some((cells) => cells.some((cell) => /[{[]/.test(cell))),
    false,
    'no JSON',
  );
  assert.deepEqual(differencesOf(comparable(definition), comparable(structuredClone(definition))), []);
});

test('steps with the same name are kept apart', () => {
  const yours = structuredClone(definition);
  const last = yours.steps[3];
  if (last?.type === 'send') last.subject = 'Good day';
  const comparable = (one: Definition) => comparableWorkflow({ name: '', description: '', definition: one }, named);
  assert.deepEqual(differencesOf(comparable(definition), comparable(yours)), [
    { field: 'Steps: Send email 2: Subject', theirs: 'Still there?', yours: 'Good day' },
  ]);
});
