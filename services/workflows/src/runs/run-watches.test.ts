import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import fc from 'fast-check';
import { Definition } from '../workflows/definition.ts';
import { advance } from './advance.ts';
import type { Occurred, Run } from './run.ts';
import { watchesOf } from './run-watches.ts';
import { splitPath } from './split-path.ts';

const began = new Date('2026-01-01T12:00:00.000Z');
const at = (hours: number) => new Date(began.getTime() + hours * 3_600_000);
const newRun = (steps: Definition['steps'], contactId = trustedId<'contact'>('contact_1')): Run => ({
  ...{
    id: trustedId<'run'>('run_1'),
    workflow_id: trustedId<'workflow'>('workflow_1'),
    version: 1,
    contact_id: contactId,
    state: 'active',
    reason: null,
  },
  ...{ step: steps[0]?.id ?? null, waiting: null, sequence: 0, revision: 1, chain: null },
  ...{ began: began.toISOString(), reached: began.toISOString(), sent: {}, engaged: [], data: {}, responses: {} },
});
const start = (steps: object[], more: object = {}) => {
  const definition = Definition.parse({ trigger: { type: 'manual' }, steps, entry: {}, on_error: 'continue', ...more });
  let { run } = advance(definition, newRun(definition.steps), { type: 'wake' }, began);
  const wake = (hours: number) => {
    ({ run } = advance(definition, run, { type: 'wake' }, at(hours)));
    return run;
  };
  const happens = (occurred: Occurred, hours: number) => {
    ({ run } = advance(definition, run, { type: 'occurred', occurred, at: at(hours).toISOString() }, at(hours)));
    return run;
  };
  return { definition, run: () => run, wake, happens };
};
const end = (id: string) => ({ id, type: 'exit', reason: id });
const order = (total: number): Occurred => ({ type: 'event', name: 'order_placed', properties: { total }, value: null });
const ordered = { type: 'event', name: 'order_placed', where: { 'properties.total': { gte: 10 } } };
const waiting = { id: 'wait', type: 'wait_until', any: [ordered], timeout: 'PT2H', next: 'bought', on_timeout: 'late' };

test('wait_until', async (t) => {
  await t.test('continues with `next` when it happens in time and matches, and with `on_timeout` otherwise', () => {
    const some = start([waiting, end('bought'), end('late')]);
    assert.deepEqual(watchesOf(some.definition, some.run()), ['event order_placed']);
    assert.equal(some.happens(order(9), 1).state, 'waiting');
    assert.equal(some.happens(order(10), 2).reason, 'bought');
    assert.deepEqual(watchesOf(some.definition, some.run()), []);

    const none = start([waiting, end('bought'), end('late')]);
    assert.equal(none.happens(order(10), 2.001).state, 'waiting', 'too late, although the timeout has not been processed');
    assert.equal(none.wake(2).reason, 'late');
  });

  await t.test('ignores what happened before the run reached the step', () => {
    const run = start([{ id: 'delay', type: 'delay', for: 'PT1H', next: 'wait' }, waiting, end('bought'), end('late')]);
    run.wake(1);
    assert.equal(run.happens(order(10), 0.9).state, 'waiting');
    assert.equal(run.happens(order(10), 1).reason, 'bought');
  });

  await t.test('is not ended by the event that ended the wait before it', () => {
    const again = { ...waiting, id: 'again', next: 'end', on_timeout: 'late' };
    const run = start([{ ...waiting, next: 'again' }, again, end('end'), end('late')]);
    assert.equal(run.happens(order(10), 1).step, 'again');
    assert.equal(run.happens(order(10), 1).step, 'again');
    assert.equal(run.happens(order(10), 1.5).reason, 'end');
  });

  await t.test('for a message continues only for the email of that step of the same run', () => {
    const message = { type: 'send', subject: 'Hi', from: { email: 'a@example.com' }, html: 'Hi' };
    const run = start([
      { id: 'one', ...message, next: 'wait' },
      { ...waiting, any: [{ type: 'message_clicked', step_id: 'one' }] },
      end('bought'),
      end('late'),
    ]);
    const key = run.run().sent.one ?? '';
    const definition = run.definition;
    const sent = advance(definition, run.run(), { type: 'effect_completed', key, status: 'done', reason: null, revision: null }, began).run;
    const click = (effect_key: string) =>
      advance(definition, sent, { type: 'occurred', occurred: { type: 'message_clicked', effect_key }, at: at(1).toISOString() }, at(1))
        .run;
    assert.equal(click('run_2:1').state, 'waiting');
    assert.equal(click('run_1:9').state, 'waiting');
    assert.equal(click(key).reason, 'bought');
    const early = advance(
      definition,
      run.run(),
      { type: 'occurred', occurred: { type: 'message_clicked', effect_key: key }, at: at(0).toISOString() },
      at(0),
    ).run;
    assert.equal(early.step, 'one');
    const after = advance(definition, early, { type: 'effect_completed', key, status: 'done', reason: null, revision: null }, at(72)).run;
    assert.equal(after.reason, 'bought', 'a click before the run reaches the step counts');
  });

  await t.test('for a rule is evaluated on arrival, and when the contact changes', () => {
    const field = { type: 'field', when: { field: 'tags', op: 'contains', value: 'vip' } };
    const run = start([{ ...waiting, any: [field] }, end('bought'), end('late')]);
    assert.equal(run.run().waiting?.for, 'answer');
    const contact = aContact({ tags: ['vip'] });
    const key = `${run.run().id}:${run.run().sequence}`;
    const afterReply = (taken: number | null) =>
      advance(run.definition, run.run(), { type: 'answered', key, taken, revision: 2 }, began).run;
    assert.equal(afterReply(0).reason, 'bought');
    assert.equal(afterReply(null).waiting?.for, 'event');
    assert.equal(run.happens({ type: 'contact', contact }, 1).reason, 'bought', 'also while the rules are being evaluated');
  });
});

test('a goal and exit_when', async (t) => {
  const goal = { id: 'goal', type: 'goal', any: [ordered], within: 'P1D', next: 'late' };
  const delayed = [{ id: 'delay', type: 'delay', for: 'PT5H', next: 'goal' }, goal, end('late')];

  await t.test('end the run at any step; the goal counts first, and only within its time', () => {
    const converted = start(delayed, { exit_when: [{ type: 'event', name: 'order_placed' }] });
    assert.equal(converted.happens(order(10), 1).state, 'converted');
    assert.equal(converted.run().reason, 'goal');
    const exited = start(delayed, { exit_when: [{ type: 'event', name: 'order_placed' }] });
    assert.deepEqual([exited.happens(order(1), 1).state, exited.run().reason], ['exited', 'exit_condition']);
    const late = start(delayed);
    assert.equal(late.wake(5).step, 'goal');
    assert.equal(late.happens(order(10), 24.001).state, 'waiting');
    assert.equal(late.wake(24).reason, 'late');
  });

  await t.test('exit when the contact unsubscribes', () => {
    const run = start(delayed, { exit_when: [{ type: 'unsubscribed' }] });
    assert.equal(run.happens({ type: 'contact', contact: aContact() }, 1).state, 'waiting');
    assert.equal(run.happens({ type: 'contact', contact: aContact({ status: 'unsubscribed' }) }, 1).state, 'exited');
  });
});

test('a split gives each contact the same path every time, and the paths their shares', () => {
  const [split] = Definition.shape.steps.parse([
    {
      id: 'ab',
      type: 'split',
      paths: [
        { weight: 70, to: 'a' },
        { weight: 30, to: 'b' },
      ],
    },
  ]);
  assert.ok(split?.type === 'split');
  const pathOf = (contact: string, version = 1) =>
    splitPath(split, { workflow_id: trustedId<'workflow'>('workflow_1'), version, contact_id: trustedId<'contact'>(contact) }).index;
  fc.assert(fc.property(fc.string(), fc.nat(9), (id, version) => assert.equal(pathOf(id, version), pathOf(id, version))));
  const paths = Array.from({ length: 10_000 }, (_, index) => pathOf(`contact_${index}`));
  const share = paths.filter((path) => path === 0).length / paths.length;
  assert.ok(share > 0.68 && share < 0.72, `${share}`);
  assert.notDeepEqual(
    paths,
    Array.from({ length: 10_000 }, (_, index) => pathOf(`contact_${index}`, 2)),
    'another version draws again',
  );
});
