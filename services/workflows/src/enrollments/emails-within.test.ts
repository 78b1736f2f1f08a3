import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId, type WorkflowId } from '@mp/ids';
import { Step } from '../workflows/step.ts';
import { emailsWithin } from './emails-within.ts';

const hourMs = 3_600_000;
const from = { email: 'news@example.com' };
const send = (id: string, next?: string) => ({ id, type: 'send', subject: 'Hi', from, html: '<p>Hi</p>', ...(next && { next }) });
const steps = (...all: object[]) => ({ steps: all.map((one) => Step.parse(one)) });

test('counts the emails of the path that sends most within the time', () => {
  const wait = (length: string) => ({ id: 'wait', type: 'delay', for: length, next: 'b' });
  assert.equal(emailsWithin(steps(send('a', 'wait'), wait('PT1H'), send('b')), hourMs), 2);
  assert.equal(emailsWithin(steps(send('a', 'wait'), wait('PT61M'), send('b')), hourMs), 1);
  const opened = { id: 'opened', type: 'wait_until', any: [{ type: 'event', name: 'x' }], next: 'b', on_timeout: 'c' };
  const reminded = (timeout: string) => steps({ ...opened, timeout }, send('b'), send('c', 'd'), send('d'));
  assert.equal(emailsWithin(reminded('PT30M'), hourMs), 2);
  assert.equal(emailsWithin(reminded('P3D'), hourMs), 1, 'a reminder after three days is not in the first hour');
  assert.equal(emailsWithin(steps({ id: 'end', type: 'exit' }), hourMs), 0);
});

test('counts every pass of a loop, and a wait for a time of day once', () => {
  const again = (delay: object) => steps(send('a', 'wait'), { id: 'wait', type: 'delay', ...delay, next: 'a' });
  assert.equal(emailsWithin(again({ for: 'PT10M' }), hourMs), 7);
  assert.equal(emailsWithin(again({ until_local: { time: '09:00' } }), hourMs), 2);
});

test('counts the emails of the workflows that it starts, each once', () => {
  const [one, other] = ['workflow_01h455vb4pex5vsknk084sn02q', 'workflow_01h455vb4pex5vsknk084sn02r'].map((id) =>
    trustedId<'workflow'>(id),
  );
  const starting = (id: WorkflowId | undefined) => steps(send('a', 'start'), { id: 'start', type: 'start_workflow', workflow_id: id });
  const known = new Map(
    [[one, starting(other)] as const, [other, starting(one)] as const].flatMap(([id, at]) => (id ? [[id, at] as const] : [])),
  );
  assert.equal(emailsWithin(starting(other), hourMs, known, new Set(one ? [one] : [])), 2);
});
