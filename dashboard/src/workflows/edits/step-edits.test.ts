import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type History, historyOf, record, redo, undo } from '../canvas/history.ts';
import { graphProblems } from '../canvas/problems.ts';
import { newStep, stepTypes } from '../canvas/step-kinds.ts';
import { type Definition, firstDefinition, jsonOf } from '../definition.ts';
import { readDefinition } from '../read-definition.ts';
import { pathsOf, type Slot, slotsOf, stepOf, targetOf } from './graph.ts';
import { addPath, removePath } from './path-edits.ts';
import { canInsert, canMove, canRemove, connect, copyOf, duplicate, insert, move, moveBy, remove } from './step-edits.ts';

/** Every definition in the API's documents: of requests, responses and versions. */
const examples = definitionsIn(
  JSON.parse(readFileSync(new URL('../../../../services/gateway/config/openapi.json', import.meta.url), 'utf8')),
);

function definitionsIn(value: unknown): Definition[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(definitionsIn);
  if (!('trigger' in value && 'steps' in value && Array.isArray(value.steps) && value.steps.length > 0)) return inside;
  if (typeof value.steps[0]?.id !== 'string') return inside;
  const read = readDefinition(JSON.stringify(value));
  assert.ok('definition' in read, JSON.stringify(value));
  return [read.definition, ...inside];
}

/** A loop that is slow, a loop that is not entered by its first step, and lanes that meet. */
const knotted: Definition = {
  ...firstDefinition,
  steps: [
    { id: 'ask', type: 'branch', branches: [{ when: { field: 'company', op: 'exists' }, to: 'mail' }], else: 'wait' },
    { id: 'mail', type: 'send', subject: 'Hi', from: { email: 'a@example.com' }, html: '<p>Hi</p>', next: 'read' },
    {
      id: 'read',
      type: 'wait_until',
      any: [{ type: 'message_opened', step_id: 'mail' }],
      timeout: 'P1D',
      next: 'halve',
      on_timeout: 'wait',
    },
    { id: 'wait', type: 'delay', for: 'P1D', next: 'ask' },
    {
      id: 'halve',
      type: 'split',
      paths: [
        { weight: 1, to: 'tag' },
        { weight: 2, to: 'tag' },
        { weight: 1, to: null },
      ],
    },
    { id: 'tag', type: 'add_tag', tag: 'a', next: 'untag' },
    { id: 'untag', type: 'remove_tag', tag: 'b' },
  ],
};

type Edit = { kind: (typeof kinds)[number]; at: number; type: number; by: number };
const kinds = ['insert', 'remove', 'move', 'duplicate', 'paste', 'addPath', 'removePath', 'connect'] as const;
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(40), type: fc.nat(40), by: fc.integer({ min: -3, max: 3 }) }),
  { maxLength: 25 },
);
const starts = fc.constantFrom(firstDefinition, knotted, ...examples);

const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(1, from.length)];

function edited(definition: Definition, { kind, at, type, by }: Edit): Definition {
  const slots = slotsOf(definition);
  const slot: Slot = pick(slots, at) ?? { from: null, path: 0 };
  const id = pick(definition.steps, at)?.id ?? '';
  const stepType = pick(stepTypes, type) ?? 'delay';
  if (kind === 'insert')
    return canInsert(definition, slot, stepType) ? insert(definition, slot, newStep(definition, stepType)) : definition;
  if (kind === 'remove') return remove(definition, id);
  if (kind === 'move') return moveBy(definition, id, by);
  if (kind === 'duplicate') return duplicate(definition, id);
  if (kind === 'addPath') return addPath(definition, id);
  if (kind === 'removePath') return removePath(definition, slot);
  if (kind === 'connect') return connect(definition, slot, pick(definition.steps, type)?.id ?? '') ?? definition;
  const copied = pick(definition.steps, type);
  return copied && canInsert(definition, slot, copied.type) ? insert(definition, slot, copyOf(definition, copied)) : definition;
}

const isValid = (definition: Definition) => assert.deepEqual([...graphProblems(definition)], []);

test('the API documents have workflows to test with', () => {
  assert.ok(examples.length > 5, `${examples.length}`);
  for (const example of [...examples, knotted]) isValid(example);
});

test('any sequence of edits leaves a definition whose steps all exist, can be reached, and never loop without a wait', () => {
  fc.assert(
    fc.property(starts, edits, (start, all) => {
      all.reduce((before, edit) => {
        const after = edited(before, edit);
        isValid(after);
        const awaited = after.steps.flatMap((step) => ('any' in step ? step.any : []));
        for (const one of awaited) if ('step_id' in one && one.step_id) assert.equal(stepOf(after, one.step_id)?.type, 'send');
        return after;
      }, start);
    }),
    { numRuns: 300 },
  );
});

test('undo restores every state exactly, and redo leads back', () => {
  fc.assert(
    fc.property(starts, edits, (start, all) => {
      const states: History<Definition>[] = [historyOf(start)];
      for (const edit of all) {
        const now = states.at(-1) ?? historyOf(start);
        const next = record(now, edited(now.present, edit));
        if (next !== now) states.push(next);
      }
      let at = states.at(-1) ?? historyOf(start);
      for (const before of states.slice(0, -1).toReversed()) {
        at = undo(at);
        assert.equal(at.present, before.present);
      }
      assert.equal(undo(at), at);
      for (const after of states.slice(1)) {
        at = redo(at);
        assert.equal(at.present, after.present);
      }
    }),
    { numRuns: 100 },
  );
});

test('letters typed into one field are undone together, and not with those in another', () => {
  const typed = ['H', 'Hi'].reduce((history, text) => record(history, text, 'name'), historyOf(''));
  const both = record(typed, 'Hi!', 'subject');
  assert.equal(undo(both).present, 'Hi');
  assert.equal(undo(undo(both)).present, '');
  assert.equal(redo(undo(both)).present, 'Hi!');
});

test('the canvas and JSON convert into each other without loss: the definitions in the API documents, and any edits of them', () => {
  fc.assert(
    fc.property(starts, edits, (start, all) => {
      const definition = all.reduce(edited, start);
      const read = readDefinition(jsonOf(definition));
      assert.ok('definition' in read, JSON.stringify(read));
      assert.deepEqual(read.definition, JSON.parse(JSON.stringify(definition)));
      assert.equal(jsonOf(read.definition), jsonOf(definition));
    }),
    { numRuns: 100 },
  );
});

test('removing a step that was just inserted restores the definition', () => {
  fc.assert(
    fc.property(starts, fc.nat(40), fc.nat(40), (start, at, type) => {
      const slot = pick(slotsOf(start), at) ?? { from: null, path: 0 };
      const step = newStep(start, pick(stepTypes, type) ?? 'delay');
      if (step.type === 'exit' || !canInsert(start, slot, step.type)) return;
      const back = remove(insert(start, slot, step), step.id);
      assert.deepEqual(shapeOf(back), shapeOf(start));
    }),
  );
});

const shapeOf = (definition: Definition) => ({
  first: definition.steps[0]?.id,
  paths: Object.fromEntries(definition.steps.map((step) => [step.id, pathsOf(step)])),
});

test('moving a step down and up again leaves it where it was', () => {
  fc.assert(
    fc.property(starts, edits, fc.nat(40), (start, all, at) => {
      const definition = all.reduce(edited, start);
      const id = pick(definition.steps, at)?.id ?? '';
      if (!canMove(definition, id, 'down')) return;
      const moved = move(definition, id, 'down');
      assert.notDeepEqual(shapeOf(moved), shapeOf(definition));
      if (canMove(moved, id, 'up')) assert.deepEqual(shapeOf(move(moved, id, 'up')), shapeOf(definition));
    }),
  );
});

test('removing a step with lanes keeps its usual lane, and removes the steps that only the others lead to', () => {
  const end = remove(knotted, 'ask');
  assert.deepEqual(
    end.steps.map(({ id }) => id),
    ['wait'],
  );
  const noMail = remove(knotted, 'mail');
  const read = stepOf(noMail, 'read');
  assert.deepEqual(read?.type === 'wait_until' && read.any, [{ type: 'message_opened' }], 'it waits for any email of the run');
});

test('a branch at the end leads to an exit, which can only be removed with the branch', () => {
  const tagged = insert(firstDefinition, { from: null, path: 0 }, newStep(firstDefinition, 'add_tag'));
  const branched = insert(tagged, { from: 'add_tag', path: 0 }, newStep(tagged, 'branch'));
  assert.equal(targetOf(branched, { from: 'branch', path: 0 }), 'exit');
  assert.equal(targetOf(branched, { from: 'branch', path: 1 }), null);
  assert.equal(canRemove(branched, 'exit'), false);
  assert.equal(remove(branched, 'exit'), branched);
  assert.deepEqual(shapeOf(remove(branched, 'branch')), shapeOf(tagged));
});
