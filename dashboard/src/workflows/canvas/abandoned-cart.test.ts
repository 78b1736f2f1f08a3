import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Definition, firstDefinition } from '../definition.ts';
import type { Slot } from '../edits/graph.ts';
import { connect, insert } from '../edits/step-edits.ts';
import type { WorkflowStep } from '../workflows.ts';
import { historyOf, record, undo } from './history.ts';
import { problemsOf } from './problems.ts';

const ordered = { type: 'event', name: 'order_placed' } as const;
const email = { type: 'send', from: { email: 'news@example.com' }, html: '<p>Hi</p>', next: 'click' } as const;

/** The journey of `services/workflows/test/abandoned-cart.faults.test.ts`. */
const steps: WorkflowStep[] = [
  { id: 'order', type: 'wait_until', any: [ordered], timeout: 'PT1H', on_timeout: 'value' },
  { id: 'value', type: 'branch', branches: [{ data: { 'data.properties.total': { gte: 100 } }, to: 'offer' }], else: 'reminder' },
  { id: 'offer', ...email, subject: 'Free shipping' },
  { id: 'reminder', ...email, subject: 'Your cart' },
  { id: 'click', type: 'wait_until', any: [{ type: 'message_clicked' }], timeout: 'P1D', next: 'half', on_timeout: 'half' },
  {
    id: 'half',
    type: 'split',
    paths: [
      { weight: 1, to: 'a' },
      { weight: 1, to: 'b' },
    ],
  },
  { id: 'a', type: 'add_tag', tag: 'half-a', next: 'goal' },
  { id: 'b', type: 'add_tag', tag: 'half-b', next: 'goal' },
  { id: 'goal', type: 'goal', any: [ordered], within: 'P7D' },
];

/** The step with its fields filled in, before it leads anywhere. */
function alone(id: string): WorkflowStep {
  const step = steps.find((one) => one.id === id);
  assert.ok(step);
  if (step.type === 'branch') {
    const { else: _, ...branch } = step;
    return { ...branch, branches: branch.branches.map((one) => ({ ...one, to: id })) };
  }
  if (step.type === 'split') return { ...step, paths: step.paths.map((path) => ({ ...path, to: null })) };
  if (step.type === 'wait_until') return { ...step, next: null, on_timeout: null };
  return step.type === 'exit' ? step : { ...step, next: null };
}

test('an abandoned-cart journey is drawn step by step, and each step can be undone', () => {
  const trigger = { type: 'event', name: 'added_to_cart' } as const;
  const start: Definition = { ...firstDefinition, trigger, quiet_hours: { from: '21:00', to: '08:00', timezone: 'UTC' } };
  let history = historyOf(start);
  const draw = (from: string | null, path: number, id: string) => {
    history = record(history, insert(history.present, { from, path }, alone(id)));
  };
  const join = (slot: Slot, to: string) => {
    const joined = connect(history.present, slot, to);
    assert.ok(joined, `${slot.from} to ${to}`);
    history = record(history, joined);
  };
  draw(null, 0, 'order');
  draw('order', 1, 'value');
  draw('value', 1, 'reminder');
  draw('reminder', 0, 'click');
  draw('click', 0, 'half');
  join({ from: 'click', path: 1 }, 'half');
  draw('half', 0, 'a');
  draw('half', 1, 'b');
  draw('a', 0, 'goal');
  join({ from: 'b', path: 0 }, 'goal');
  draw('value', 0, 'offer');
  join({ from: 'offer', path: 0 }, 'click');

  const { present } = history;
  assert.equal(problemsOf(present).size, 0, JSON.stringify([...problemsOf(present)]));
  const withoutEnds = (all: readonly WorkflowStep[]) =>
    Object.fromEntries(all.map((step) => [step.id, Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null))]));
  assert.deepEqual(withoutEnds(present.steps), withoutEnds(steps));

  for (let edits = 0; edits < 12; edits += 1) history = undo(history);
  assert.equal(history.present, start);
});

test('the empty lane of a branch can lead to a step of another lane, which removes its exit', () => {
  const branch = alone('value');
  const drawn = insert(insert(firstDefinition, { from: null, path: 0 }, branch), { from: 'value', path: 1 }, alone('reminder'));
  const joined = connect(drawn, { from: 'value', path: 0 }, 'reminder');
  assert.deepEqual(
    joined?.steps.map(({ id }) => id),
    ['value', 'reminder'],
  );
  const named = { ...drawn, steps: drawn.steps.map((step) => (step.type === 'exit' ? { ...step, reason: 'Small cart' } : step)) };
  assert.equal(connect(named, { from: 'value', path: 0 }, 'reminder'), undefined, 'an exit with a reason was written by a user');
});
