import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Startable } from './startable-workflows.ts';
import { startedBy } from './started-by.ts';

const workflow = (trigger: Startable['trigger'], emailsPerContact: number): Startable => ({
  ...{ id: trigger, name: trigger, segmentId: undefined },
  trigger,
  emailsPerContact,
});

test('each workflow starts for every contact that its trigger fires for, with its emails', () => {
  const workflows = [workflow('contact_created', 2), workflow('segment_entered', 1)];
  assert.deepEqual(startedBy(workflows, { contact_created: 10, segment_entered: 30 }), { runs: 40, emails: 50 });
  assert.deepEqual(startedBy([], {}), { runs: 0, emails: 0 });
});

test('nothing is said before the number of contacts is known', () => {
  assert.deepEqual(startedBy([workflow('contact_created', 2)], { contact_created: undefined }), { runs: undefined, emails: undefined });
});
