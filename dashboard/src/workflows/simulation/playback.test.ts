import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentStep, sentBy, sinceStart } from './playback.ts';

const start = '2026-03-01T09:00:00.000Z';
const entry = (step_id: string | null, event: string) => ({ at: start, step_id, event, text: '' });
const log = [
  entry(null, 'started'),
  entry('mail', 'requested'),
  entry('mail', 'done'),
  entry('wait', 'waiting'),
  entry('mail', 'requested'),
  entry('mail', 'done'),
  entry(null, 'ended'),
];

test('shows a message from the moment it is sent, and a second one of the same step later', () => {
  const messages = [
    { step_id: 'mail', subject: 'First' },
    { step_id: 'mail', subject: 'Second' },
  ];
  const counts = log.map((_, index) => sentBy(messages, log.slice(0, index + 1)).length);
  assert.deepEqual(counts, [0, 0, 1, 1, 1, 2, 2]);
  assert.equal(sentBy(messages, log.slice(0, 4))[0]?.subject, 'First');
});

test('is at the last step that the run has reached', () => {
  assert.deepEqual(
    log.map((_, index) => currentStep(log.slice(0, index + 1))),
    [null, 'mail', 'mail', 'wait', 'mail', 'mail', 'mail'],
  );
});

test('writes the time since the start of the run', () => {
  assert.equal(sinceStart(start, start), 'immediately');
  assert.equal(sinceStart(start, '2026-03-04T09:00:00.000Z'), 'in 3 days');
});
