import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flow, flowOf } from './flow.ts';

type Step = Parameters<typeof flowOf>[0][number];

/** "a b{c|d} e": the paths of a branch in braces; ^ before a step that is drawn elsewhere. */
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

test('draws steps in sequence', () => {
  assert.equal(written(flowOf([step('a', 'b'), step('b', 'c'), step('c')])), 'a b c');
  assert.equal(written(flowOf([])), '');
});

test('draws the steps after a branch once, where its paths meet', () => {
  assert.equal(written(flowOf([branch('a', ['b'], 'c'), step('b', 'c'), step('c', 'd'), step('d')])), 'a{b|} c d');
  assert.equal(written(flowOf([branch('a', ['b', 'c'], 'd'), step('b', 'e'), step('c', 'e'), step('d', 'e'), step('e')])), 'a{b|c|d} e');
});

test('draws paths separately if they do not meet', () => {
  assert.equal(written(flowOf([branch('a', ['b'], null), step('b', 'c'), step('c')])), 'a{b c|}');
});

test('refers to an earlier step by name instead of drawing it again', () => {
  assert.equal(written(flowOf([step('a', 'b'), branch('b', ['a'], 'c'), step('c')])), 'a b{^a|} c');
});

test('paths of a split and of a wait_until step are drawn like those of a branch', () => {
  const split = {
    id: 'a',
    type: 'split',
    paths: [
      { weight: 1, to: 'b' },
      { weight: 1, to: null },
    ],
  };
  assert.equal(written(flowOf([split, step('b')])), 'a{b|}');
  const wait = { id: 'a', type: 'wait_until', timeout: 'P1D', next: 'c', on_timeout: 'b' };
  assert.equal(written(flowOf([wait, step('b', 'c'), step('c')])), 'a{|b} c');
});
