import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { mail } from '../../test/setting.ts';
import { Definition } from '../workflows/definition.ts';
import { advance } from './advance.ts';
import type { Advanced, Run } from './run.ts';

const begin = new Date('2026-01-01T00:00:00.000Z');
const later = (hours: number) => new Date(begin.getTime() + hours * 3_600_000);

const definitionWith = (step: object, more: object = {}) =>
  Definition.parse({
    trigger: { type: 'manual' },
    steps: [
      { id: 'hi', ...mail, next: 'tag', ...step },
      { id: 'tag', type: 'add_tag', tag: 'x' },
    ],
    entry: {},
    on_error: 'continue',
    ...more,
  });

const newRun: Run = {
  id: trustedId<'run'>('run_1'),
  workflow_id: trustedId<'workflow'>('workflow_1'),
  version: 1,
  contact_id: trustedId<'contact'>('contact_1'),
  ...{ state: 'active', reason: null, step: 'hi', waiting: null, sequence: 0, revision: 1, chain: null },
  ...{ began: begin.toISOString(), reached: begin.toISOString(), sent: {}, engaged: [], responses: {}, data: {} },
};

/** The reply of campaigns to the email that the run has just requested. */
function forbidden(definition: Definition, { run, effects }: Advanced, now: Date, retryAt?: Date): Advanced {
  const [effect] = effects;
  assert.equal(effect?.type, 'send');
  const refused = { type: 'effect_completed', status: 'refused', reason: 'frequency_cap', revision: null } as const;
  return advance(definition, run, { ...refused, key: effect?.key ?? '', retryAt: retryAt?.toISOString() }, now);
}

test('an email that the frequency cap forbids', async (t) => {
  const waiting = definitionWith({ when_capped: 'wait' });

  await t.test('is skipped at once unless the step says that it waits', () => {
    for (const step of [{}, { when_capped: 'skip' }]) {
      const definition = definitionWith(step);
      const requested = advance(definition, newRun, { type: 'wake' }, begin);
      const { run, log } = forbidden(definition, requested, begin, later(5));
      assert.deepEqual([run.step, log[0]?.what, log[0]?.detail], ['tag', 'skipped', 'frequency_cap']);
    }
  });

  await t.test('is requested again, under a new key, when the cap allows it', () => {
    const requested = advance(waiting, newRun, { type: 'wake' }, begin);
    const held = forbidden(waiting, requested, begin, later(30));
    assert.deepEqual([held.run.step, held.wakeAt, held.passages], ['hi', later(30), []]);
    assert.equal(advance(waiting, held.run, { type: 'wake' }, later(29)).run, held.run, 'not before');
    const again = advance(waiting, held.run, { type: 'wake' }, later(30));
    assert.notEqual(again.effects[0]?.key, requested.effects[0]?.key);
    const done = { type: 'effect_completed', key: again.effects[0]?.key ?? '', status: 'done', reason: null, revision: null } as const;
    const { run } = advance(waiting, again.run, done, later(30));
    assert.deepEqual([run.step, 'capped' in run], ['tag', false]);
  });

  await t.test('is requested each hour if it is not known when the cap allows it', () => {
    const held = forbidden(waiting, advance(waiting, newRun, { type: 'wake' }, begin), begin);
    assert.deepEqual(held.wakeAt, later(1));
  });

  await t.test('is skipped with its reason after seven days, however often the cap moves', () => {
    for (const hours of [1, 50, 24 * 60]) {
      let now = begin;
      let at = advance(waiting, newRun, { type: 'wake' }, now);
      for (let turns = 0; at.run.step === 'hi'; turns += 1) {
        assert.ok(turns < 200, 'it never stops');
        at = forbidden(waiting, at, now, new Date(now.getTime() + hours * 3_600_000));
        if (at.run.step !== 'hi') break;
        now = at.wakeAt ?? now;
        at = advance(waiting, at.run, { type: 'wake' }, now);
      }
      assert.deepEqual([now, at.log[0]?.what, at.log[0]?.detail], [later(7 * 24), 'skipped', 'frequency_cap']);
    }
  });

  await t.test('fails a run that exits on errors, and a retry waits again for up to seven days', () => {
    const strict = definitionWith({ when_capped: 'wait' }, { on_error: 'exit' });
    let at = forbidden(strict, advance(strict, newRun, { type: 'wake' }, begin), begin, later(24 * 9));
    at = advance(strict, at.run, { type: 'wake' }, later(24 * 7));
    at = forbidden(strict, at, later(24 * 7), later(24 * 9));
    assert.deepEqual([at.run.state, at.run.reason], ['failed', 'frequency_cap']);
    at = forbidden(strict, advance(strict, at.run, { type: 'retry' }, later(24 * 8)), later(24 * 8), later(24 * 9));
    assert.deepEqual([at.run.state, at.wakeAt], ['waiting', later(24 * 9)]);
  });
});
