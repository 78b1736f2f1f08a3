import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flow, flowOf } from './flow.ts';

type Step = Parameters<typeof flowOf>[0][number];

/** "a b{c|d} e": a branch with its paths in braces; ^ before what is drawn elsewhere. */
const written = (flow: Flow<Step>): string =>
  flow
    .map((part) => {
      if (part.kind === 'goes-on-at') return `^${part.step.id}`;
      return part.step.id + (part.paths.length > 0 ? `{${part.paths.map((path) => written(path.flow)).join('|')}}` : '');
    })
    .join(' ');

const step = (id: string, next?: string): Step => ({ id, type: 'add_tag', ...(next && { next }) });
const branch = (id: string, to: string[], otherwise: string | null): Step => ({
  id,
  type: 'branch',
  branches: to.map((target) => ({ when: {}, to: target })),
  else: otherwise,
});

test('steps are read one after the other', () => {
  assert.equal(written(flowOf([step('a', 'b'), step('b', 'c'), step('c')])), 'a b c');
  assert.equal(written(flowOf([])), '');
});

test('paths that come together go on below their branch', () => {
  assert.equal(written(flowOf([branch('a', ['b'], 'c'), step('b', 'c'), step('c', 'd'), step('d')])), 'a{b|} c d');
  assert.equal(written(flowOf([branch('a', ['b', 'c'], 'd'), step('b', 'e'), step('c', 'e'), step('d', 'e'), step('e')])), 'a{b|c|d} e');
});

test('paths that end apart are drawn apart', () => {
  assert.equal(written(flowOf([branch('a', ['b'], null), step('b', 'c'), step('c')])), 'a{b c|}');
});

test('a way back is named, not drawn again', () => {
  assert.equal(written(flowOf([step('a', 'b'), branch('b', ['a'], 'c'), step('c')])), 'a b{^a|} c');
});
