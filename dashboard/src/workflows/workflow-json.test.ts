import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDefinition, isDrawable, jsonOf, readJson } from './workflow-json.ts';

test('reads back the JSON of a workflow, which can be drawn', () => {
  const read = readJson(jsonOf(firstDefinition));
  assert.ok('fields' in read);
  assert.deepEqual(read.fields, firstDefinition);
  assert.ok(isDrawable(read.fields));
});

test('reports invalid JSON, and JSON that is not an object', () => {
  const broken = readJson('{"steps": [');
  assert.ok('fault' in broken && broken.fault.includes('JSON'));
  assert.deepEqual(readJson('[]'), { fault: 'Expected an object with trigger and steps.' });
});

test('does not draw an incomplete step', () => {
  const trigger = { type: 'manual' };
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'send', subject: 'Hi' }] }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'branch', branches: [{ when: 3, to: 'b' }] }] }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'dance' }] }), false);
  assert.equal(isDrawable({ trigger, steps: {} }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'exit' }] }), true);
});
