import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryDefinition } from '../../test/arbitraries.ts';
import { begin, live, newRun } from '../../test/live.ts';
import { Definition } from '../workflows/definition.ts';
import { definitionProblems } from '../workflows/definition-problems.ts';
import { advance } from './advance.ts';
import { type Effect, isOpen } from './run.ts';

const chance = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 });

test('advance', async (t) => {
  await t.test('produces the same run when recorded inputs are replayed', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: true }), chance, (definition, rolls) => {
        const { runs, inputs, effects } = live(definition, rolls, 60);
        const again: Effect[] = [];
        let run = newRun(definition);
        for (const [index, { input, now }] of inputs.entries()) {
          const result = advance(definition, structuredClone(run), structuredClone(input), now);
          again.push(...result.effects);
          run = result.run;
          assert.deepEqual(run, runs[index + 1]);
        }
        assert.deepEqual(again, effects);
      }),
    );
  });

  await t.test('raises the sequence by one with every change and only then', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: true }), chance, (definition, rolls) => {
        const { runs } = live(definition, rolls, 60);
        for (const [index, run] of runs.entries()) {
          const before = runs[index - 1];
          if (before) assert.equal(run.sequence - before.sequence, run === before ? 0 : 1);
        }
      }),
    );
  });

  await t.test('requests at most one effect per change, and never two different effects under one key', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: true }), chance, (definition, rolls) => {
        const byKey = new Map<string, string>();
        for (const effect of live(definition, rolls, 60).effects) {
          const text = JSON.stringify(effect);
          assert.equal(byKey.get(effect.key) ?? text, text);
          byKey.set(effect.key, text);
        }
      }),
    );
  });

  await t.test('ends when its steps have no loop', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: false }), chance, (definition, rolls) => {
        // Nothing waits forever: each step has a limited number of attempts, and one that gets no reply gives up.
        const fair = rolls.map((roll, index) => (index % 2 === 0 ? roll : roll + 1));
        const run = live(definition, [...fair, 1, 2, 3, 5, 7, 11, 13], 5_000).runs.at(-1);
        assert.ok(run && !isOpen(run), JSON.stringify(run));
        assert.equal(run.waiting, null);
      }),
    );
  });

  await t.test('never changes a run that has ended', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: false }), chance, (definition, rolls) => {
        const { runs, inputs } = live(definition, rolls, 5_000);
        const run = runs.at(-1);
        if (!run || isOpen(run)) return;
        for (const { input, now } of inputs) assert.equal(advance(definition, run, input, now).run, run);
        assert.equal(advance(definition, run, { type: 'cancel' }, begin).run, run);
      }),
    );
  });

  await t.test('does not mutate its arguments', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ loops: true }), chance, (definition, rolls) => {
        const before = structuredClone(definition);
        const run = Object.freeze(newRun(definition));
        advance(definition, run, { type: 'wake' }, begin);
        live(definition, rolls, 30);
        assert.deepEqual(definition, before);
      }),
    );
  });

  await t.test('retries a branch for a day, at most once a minute, and then fails rather than take a wrong path', () => {
    const rule = { field: 'tags', op: 'exists' } as const;
    for (const on_error of ['continue', 'exit'] as const) {
      const definition = Definition.parse({
        trigger: { type: 'manual' },
        steps: [
          { id: 'ask', type: 'branch', branches: [{ when: rule, to: 'one' }], else: 'other' },
          { id: 'one', type: 'add_tag', tag: 'one' },
          { id: 'other', type: 'add_tag', tag: 'other' },
        ],
        entry: {},
        on_error,
      });
      const after = ['evt_1'];
      let { run, wakeAt, log } = advance(definition, { ...newRun(definition), after }, { type: 'wake' }, begin);
      let [requests, effects] = [0, 0];
      for (; run.waiting?.for === 'answer'; requests += 1) {
        assert.ok(wakeAt && requests < 2_000, 'it never stops asking');
        ({ run, wakeAt, log } = advance(definition, run, { type: 'unanswered', key: run.waiting.key, revision: 3 }, wakeAt));
        effects += log.filter(({ what }) => what === 'waiting').length;
      }
      assert.ok(requests > 1_440 && requests < 1_460, `asked ${requests} times`);
      assert.equal(effects, 1, 'logged once');
      assert.deepEqual(
        [run.state, run.reason, run.step],
        ['failed', 'The rules could not be evaluated on current data within a day.', 'ask'],
      );
      const retried = advance(definition, run, { type: 'retry' }, begin).run;
      assert.deepEqual(
        [retried.waiting?.for, retried.after, retried.revision],
        ['answer', after, 3],
        'a retry waits for the same events and revision',
      );
      if (retried.waiting?.for !== 'answer') continue;
      const resumed = advance(definition, retried, { type: 'answered', key: retried.waiting.key, taken: 0, revision: 3 }, begin).run;
      assert.deepEqual([resumed.step, resumed.after], ['one', []]);
    }
  });

  await t.test('random definitions are accepted by the API', () => {
    fc.assert(fc.property(arbitraryDefinition({ loops: true }), ({ steps }) => assert.deepEqual(definitionProblems(steps), [])));
  });
});
