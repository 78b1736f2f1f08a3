import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOf } from './definition.ts';
import { readDefinition } from './read-definition.ts';

const faultOf = (value: unknown) => {
  const read = readDefinition(typeof value === 'string' ? value : JSON.stringify(value));
  return 'fault' in read ? read.fault : undefined;
};
const trigger = { type: 'manual' };

test('reports invalid JSON, and JSON that is not a workflow, with the path of the fault', () => {
  assert.match(faultOf('{"steps": [')?.message ?? '', /JSON/);
  assert.equal(faultOf('{"steps": [')?.path, undefined);
  assert.deepEqual(faultOf('[]'), { message: 'Expected an object with trigger and steps.', path: [] });
  assert.deepEqual(faultOf({ trigger, steps: [{ id: 'a', type: 'dance' }] })?.path, ['steps', 0, 'type']);
  assert.deepEqual(faultOf({ trigger: { type: 'event' }, steps: [] })?.message, 'A trigger of type event needs name.');
});

test('does not draw an incomplete step', () => {
  assert.deepEqual(faultOf({ trigger, steps: [{ id: 'a', type: 'send', subject: 'Hi' }] })?.path, ['steps', 0]);
  assert.ok(faultOf({ trigger, steps: [{ id: 'a', type: 'branch', branches: [{ when: 3, to: 'b' }] }] }));
  assert.ok(faultOf({ trigger, steps: {} }));
  assert.equal(faultOf({ trigger, steps: [{ id: 'a', type: 'exit' }] }), undefined);
});

test('keeps fields that it does not know, and their order', () => {
  const text = JSON.stringify({ steps: [{ id: 'a', later: { x: 1 }, type: 'exit' }], trigger, later: [1] }, null, 2);
  const read = readDefinition(text);
  assert.ok('definition' in read);
  assert.equal(jsonOf(read.definition), text);
});
