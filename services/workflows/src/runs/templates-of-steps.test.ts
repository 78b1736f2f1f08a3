import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { Definition } from '../workflows/definition.ts';
import { definitionProblems } from '../workflows/definition-problems.ts';
import { advance } from './advance.ts';
import type { Advanced, Input, Run } from './run.ts';

const now = new Date('2026-01-01T12:00:00.000Z');
const start = (steps: object[], data: Record<string, unknown> = {}, on_error = 'continue') => {
  const definition = Definition.parse({ trigger: { type: 'manual' }, steps, entry: {}, on_error });
  assert.deepEqual(definitionProblems(definition.steps), []);
  const run: Run = {
    ...{
      id: trustedId<'run'>('run_1'),
      workflow_id: trustedId<'workflow'>('workflow_1'),
      version: 1,
      contact_id: trustedId<'contact'>('contact_1'),
      state: 'active',
      reason: null,
    },
    ...{ step: definition.steps[0]?.id ?? null, waiting: null, sequence: 0, revision: 1, chain: null },
    ...{ began: now.toISOString(), reached: now.toISOString(), sent: {}, engaged: [], data, responses: {} },
  };
  let last: Advanced = advance(definition, run, { type: 'wake' }, now);
  const next = (input: Input) => {
    last = advance(definition, last.run, input, now);
    return last;
  };
  return { first: last, next };
};
const keyOf = ({ run }: Advanced) => `${run.id}:${run.sequence}`;
const exit = (id: string) => ({ id, type: 'exit', reason: id });

test('update_contact', async (t) => {
  await t.test('fills its fields with the data of the run at once, and with the current contact after a look-up', () => {
    const set = { company: '{{ data.shop }} Ltd', attributes: { total: '{{ data.order.total }}' } };
    const { first } = start([{ id: 'set', type: 'update_contact', set }], { shop: 'Acme', order: { total: 12.5 } });
    const members = { company: 'Acme Ltd', attributes: { total: 12.5 } };
    assert.deepEqual(first.effects, [{ type: 'contact', key: 'run_1:1', change: { type: 'update_contact', members } }]);

    const greeting = start([
      { id: 'set', type: 'update_contact', set: { job_title: '{{ contact.first_name }} of {{contact.address.city}}' } },
    ]);
    assert.deepEqual(greeting.first.effects, [{ type: 'look_up', key: 'run_1:1' }]);
    const contact = aContact({ first_name: '{{ data.secret }}', address: null });
    const filled = greeting.next({ type: 'looked_up', key: 'run_1:1', contact, revision: 2 });
    assert.deepEqual(filled.effects, [
      { type: 'contact', key: 'run_1:2', change: { type: 'update_contact', members: { job_title: '{{ data.secret }} of ' } } },
    ]);
    const later = new Date(now.getTime() + 10 * 60_000);
    const repeated = advance(
      Definition.parse({
        trigger: { type: 'manual' },
        steps: [{ id: 'set', type: 'update_contact', set: { job_title: '{{ contact.first_name }}' } }],
        entry: {},
        on_error: 'continue',
      }),
      filled.run,
      { type: 'wake' },
      later,
    );
    assert.deepEqual(repeated.effects, filled.effects, 'a repeated request is the same, although the contact may have changed');
  });

  await t.test('adds to attributes', () => {
    const { first } = start([{ id: 'points', type: 'update_contact', increment: { 'attributes.points': 5 } }]);
    assert.deepEqual(first.effects[0], {
      ...{ type: 'contact', key: 'run_1:1' },
      change: { type: 'update_contact', members: {}, increment: { 'attributes.points': 5 } },
    });
  });

  await t.test('whose filled fields are too large is skipped, or fails the run', () => {
    const set = Object.fromEntries(['company', 'job_title', 'first_name', 'last_name', 'source'].map((name) => [name, '{{ data.a }}']));
    const steps = [{ id: 'set', type: 'update_contact', set, next: 'end' }, exit('end')];
    const data = { a: 'x'.repeat(15_000) };
    assert.equal(start(steps, data).first.run.reason, 'end');
    assert.equal(start(steps, data, 'exit').first.run.state, 'failed');
  });
});

test('a webhook captures values of its response, which later branches and steps read', () => {
  const steps = [
    {
      id: 'score',
      type: 'webhook',
      url: 'https://example.com/',
      capture: { value: '/result/score', tag: '/tags/0', none: '/a~1b' },
      next: 'which',
    },
    {
      ...{ id: 'which', type: 'branch' },
      branches: [
        { data: { 'responses.score.value': { gte: 50 }, 'data.plan': 'pro' }, to: 'set' },
        { when: { field: 'tags', op: 'exists' }, to: 'low' },
      ],
      else: 'low',
    },
    { id: 'set', type: 'update_contact', set: { attributes: { score: '{{ responses.score.value }}' } } },
    exit('low'),
  ];
  const respond = (said: string, plan: string) => {
    const run = start(steps, { plan });
    return run.next({
      type: 'webhook_answered',
      key: keyOf(run.first),
      outcome: { ok: true, retry: false, status: 200, detail: 'd', said },
    });
  };
  const high = respond('{"result": {"score": 70}, "tags": ["a"]}', 'pro');
  assert.deepEqual(high.run.responses, { score: { value: 70, tag: 'a' } });
  assert.deepEqual(high.effects[0]?.type === 'contact' && high.effects[0].change, {
    type: 'update_contact',
    members: { attributes: { score: 70 } },
  });
  for (const [said, plan] of [
    ['{"result": {"score": 49}}', 'pro'],
    ['{"result": {"score": 70}}', 'free'],
    ['not JSON', 'pro'],
  ] as const) {
    const low = respond(said, plan);
    assert.deepEqual(
      low.effects.map(({ type }) => type),
      ['ask'],
      'the next branch has a rule to evaluate',
    );
  }
  const large = respond(JSON.stringify({ result: { score: 'x'.repeat(3_000) }, tags: ['a'] }), 'pro');
  assert.deepEqual(large.run.responses, { score: { tag: 'a' } });
});

test('a placeholder that nothing fills is rejected with its step and field', () => {
  const problems = (step: object) =>
    definitionProblems(Definition.shape.steps.parse([step])).map(({ path, code }) => [path.join('/'), code]);
  assert.deepEqual(problems({ id: 'a', type: 'update_contact', set: { company: '{{ contact.shoe_size }}' } }), [
    ['0/set', 'unknown_field'],
  ]);
  assert.deepEqual(problems({ id: 'a', type: 'webhook', url: 'https://example.com/', body: '{{ contacts.id }}' }), [
    ['0/body', 'unknown_field'],
  ]);
  assert.deepEqual(
    problems({ id: 'a', type: 'webhook', url: 'https://example.com/', body: ['{{ contact.attributes.plan }}', '{{contact.email}}'] }),
    [],
  );
});
