import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import { type Definition, firstDefinition } from '../definition.ts';
import { slotsOf, targetOf } from '../edits/graph.ts';
import { addPath, removePath } from '../edits/path-edits.ts';
import { canInsert, connect, duplicate, insert, move, remove } from '../edits/step-edits.ts';
import { type Drawing, draw, type Line, type Placed } from './layout.ts';
import { newStep, stepTypes } from './step-kinds.ts';

type Edit = { kind: string; at: number; type: number };

const editsOf = (...kinds: string[]): fc.Arbitrary<Edit[]> =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(60), type: fc.nat(60) }), { maxLength: 25 });

function edited(definition: Definition, { kind, at, type }: Edit): Definition {
  const slots = slotsOf(definition);
  const slot = slots[at % slots.length] ?? { from: null, path: 0 };
  const id = definition.steps[at % Math.max(1, definition.steps.length)]?.id ?? '';
  const stepType = stepTypes[type % stepTypes.length] ?? 'delay';
  switch (kind) {
    case 'grow':
      // Where a run ends, so that lanes never meet.
      return targetOf(definition, slot) === null ? insert(definition, slot, newStep(definition, stepType)) : definition;
    case 'insert':
      return canInsert(definition, slot, stepType) ? insert(definition, slot, newStep(definition, stepType)) : definition;
    case 'duplicate':
      return duplicate(definition, id);
    case 'remove':
      return remove(definition, id);
    case 'move':
      return move(definition, id, 'down');
    case 'addPath':
      return addPath(definition, id);
    case 'removePath':
      return removePath(definition, slot);
    default:
      return connect(definition, slot, definition.steps[type % Math.max(1, definition.steps.length)]?.id ?? '') ?? definition;
  }
}

const drawings = (...kinds: string[]) => editsOf(...kinds).map((edits) => draw(edits.reduce(edited, firstDefinition)));
const trees = drawings('grow', 'addPath');
const lanes = drawings('grow', 'insert', 'duplicate', 'remove', 'move', 'addPath', 'removePath');
const any = drawings('insert', 'duplicate', 'remove', 'move', 'addPath', 'removePath', 'connect', 'connect');

const check = (of: fc.Arbitrary<Drawing>, holds: (drawing: Drawing) => void, numRuns = 300) =>
  fc.assert(fc.property(of, holds), { numRuns });

test('nothing overlaps, and everything is within the drawing', () => {
  check(any, ({ placed, width, height }) => {
    for (const [index, one] of placed.entries()) {
      assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height, one.id);
      for (const other of placed.slice(index + 1)) assert.ok(!touches(one, other), `${one.id} lies on ${other.id}`);
    }
  });
});

test('every line leads from the bottom of what it leaves to the top of what it leads to', () => {
  check(any, ({ placed, lines }) => {
    const at = new Map(placed.map((one) => [one.id, one]));
    for (const { id, source, target, points } of lines) {
      const [from, to] = [at.get(source), at.get(target)];
      assert.ok(from && to, id);
      assert.deepEqual(points[0], { x: from.x + from.width / 2, y: from.y + from.height }, id);
      assert.deepEqual(points.at(-1), { x: to.x + to.width / 2, y: to.y }, id);
      for (const [a, b] of segmentsOf(points)) assert.ok(a.x === b.x || a.y === b.y, `${id} is slanted`);
    }
  });
});

test('lines cross neither each other nor a card, and lanes stay in their order, when splits are never joined', () => {
  check(trees, (drawing) => {
    crossNothing(drawing);
    keepOrder(drawing);
  });
});

test('lines cross neither each other nor a card, and lanes stay in their order, when lanes meet again', () => {
  check(lanes, (drawing) => {
    crossNothing(drawing);
    keepOrder(drawing);
  });
});

test('what follows a lane is exactly below it', () => {
  check(lanes, ({ placed, lines }) => {
    const middle = new Map(placed.map(({ id, x, width }) => [id, x + width / 2]));
    for (const { id, source, target, slot } of lines) {
      const isOnly = lines.filter((line) => line.target === target).length === 1;
      if (slot && isOnly) assert.equal(middle.get(source), middle.get(target), id);
    }
  });
});

test('a step that says why emails were skipped has room for two more lines', () => {
  const definition = insert(firstDefinition, { from: null, path: 0 }, newStep(firstDefinition, 'send'));
  const heightWith = (skipped: string) =>
    draw(definition, { isCounted: true, skipped }).placed.find(({ part }) => part.kind === 'step')?.height ?? 0;
  assert.equal(heightWith('other send') - heightWith('other'), 40);
});

test('a workflow of two hundred steps is drawn in less than a tenth of a second', () => {
  const grow = (definition: Definition, at: number) =>
    edited(definition, { kind: 'insert', at: at * 7, type: at % 3 === 0 ? stepTypes.indexOf('branch') : at });
  const grown = Array.from({ length: 200 }, (_, at) => at).reduce(grow, firstDefinition);
  const times = Array.from({ length: 5 }, () => {
    const clock = startCpuClock();
    draw(grown);
    return clock();
  });
  assert.ok(Math.min(...times) < 100, `${times} ms for ${grown.steps.length} steps`);
});

type Point = { x: number; y: number };
type Box = Pick<Placed, 'x' | 'y' | 'width' | 'height'>;

const segmentsOf = (points: readonly Point[]): [Point, Point][] =>
  points.slice(1).map((point, index): [Point, Point] => [points[index] ?? point, point]);

const touches = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const boxOf = ([a, b]: [Point, Point]): Box => ({
  x: Math.min(a.x, b.x) - 0.5,
  y: Math.min(a.y, b.y) - 0.5,
  width: Math.abs(a.x - b.x) + 1,
  height: Math.abs(a.y - b.y) + 1,
});

function crossNothing({ placed, lines }: Drawing) {
  const boxes = lines.map((line) => ({ line, segments: segmentsOf(line.points).map(boxOf) }));
  for (const [index, { line, segments }] of boxes.entries()) {
    for (const card of placed) {
      if (card.id === line.source || card.id === line.target) continue;
      assert.ok(!segments.some((segment) => touches(segment, card)), `${line.id} crosses ${card.id}`);
    }
    for (const { line: other, segments: others } of boxes.slice(index + 1)) {
      // Lines from one card, or to one, may share their first or last part.
      if (line.source === other.source || line.target === other.target || meet(line, other)) continue;
      assert.ok(!segments.some((one) => others.some((two) => touches(one, two))), `${line.id} crosses ${other.id}`);
    }
  }
}

const meet = (one: Line, other: Line) => one.target === other.source || one.source === other.target;

/** Whatever only one lane of a step leads to is right of what only the lanes before it lead to. */
function keepOrder({ placed, lines }: Drawing) {
  const at = new Map(placed.map((one) => [one.id, one]));
  const below = (id: string): Set<string> => {
    const found = new Set<string>();
    for (const open = [id]; open.length > 0; ) {
      const next = open.pop();
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      open.push(...lines.filter(({ source }) => source === next).map(({ target }) => target));
    }
    return found;
  };
  for (const { id } of placed) {
    const paths = lines.filter(({ source, slot }) => source === id && slot === null).map(({ target }) => below(target));
    const own = paths.map((path) => [...path].filter((one) => paths.every((other) => other === path || !other.has(one))));
    for (const [index, left] of own.entries()) {
      const edge = Math.max(...left.map((one) => (at.get(one)?.x ?? 0) + (at.get(one)?.width ?? 0)));
      for (const one of own.slice(index + 1).flat()) assert.ok((at.get(one)?.x ?? 0) > edge, `${one} is left of the lane before it`);
    }
  }
}
