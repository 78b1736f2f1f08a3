import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDefinition, isDrawable, jsonOf, readJson } from './workflow-json.ts';

test('what is written comes back as it was, and can be drawn', () => {
  const read = readJson(jsonOf(firstDefinition));
  assert.ok('members' in read);
  assert.deepEqual(read.members, firstDefinition);
  assert.ok(isDrawable(read.members));
});

test('what is no JSON says where, and what is no object says so', () => {
  const broken = readJson('{"steps": [');
  assert.ok('fault' in broken && broken.fault.includes('JSON'));
  assert.deepEqual(readJson('[]'), { fault: 'Expected an object with trigger and steps.' });
});

test('a step of which too little is written is not drawn', () => {
  const trigger = { type: 'manual' };
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'send', subject: 'Hi' }] }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'branch', branches: [{ when: 3, to: 'b' }] }] }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'dance' }] }), false);
  assert.equal(isDrawable({ trigger, steps: {} }), false);
  assert.equal(isDrawable({ trigger, steps: [{ id: 'a', type: 'exit' }] }), true);
});
