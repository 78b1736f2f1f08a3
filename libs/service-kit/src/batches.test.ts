import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatcher, createBatchLoader } from './batches.ts';

/** Reads that end when the test says so. */
function setUp() {
  const reads: { ids: string[]; gate: PromiseWithResolvers<ReadonlyMap<string, string>> }[] = [];
  const find = createBatchLoader<string>((ids) => {
    const gate = Promise.withResolvers<ReadonlyMap<string, string>>();
    reads.push({ ids, gate });
    return gate.promise;
  });
  return { find, reads };
}

test('batches ids requested during a read into the next one, each once', async () => {
  const { find, reads } = setUp();
  const first = find('a');
  const others = [find('b'), find('c'), find('b'), find('a')];
  reads[0]?.gate.resolve(new Map([['a', 'old']]));
  assert.equal(await first, 'old');
  assert.deepEqual(
    reads.map(({ ids }) => ids),
    [['a'], ['b', 'c', 'a']],
  );
  reads[1]?.gate.resolve(
    new Map([
      ['a', 'new'],
      ['b', 'B'],
    ]),
  );
  assert.deepEqual(await Promise.all(others), ['B', undefined, 'B', 'new']);
});

test('a failed read rejects its own callers, and the next read runs', async () => {
  const { find, reads } = setUp();
  const first = find('a');
  const second = find('b');
  reads[0]?.gate.reject(new Error('away'));
  await assert.rejects(first, /away/);
  reads[1]?.gate.resolve(new Map([['b', 'B']]));
  assert.equal(await second, 'B');
});

test('splits many ids into several reads', async () => {
  const { find, reads } = setUp();
  void find('first');
  for (let index = 0; index < 1_200; index += 1) void find(String(index));
  for (let index = 0; index < 4; index += 1) {
    reads[index]?.gate.resolve(new Map());
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    reads.map(({ ids }) => ids.length),
    [1, 500, 500, 200],
  );
});

test('an idle batcher runs at once, and then as often as it may, or sooner when a batch is full', async () => {
  const batches: string[][] = [];
  const add = createBatcher(
    async (items: readonly string[]) => {
      batches.push([...items]);
      return (item) => item;
    },
    { maxItems: 3, everyMs: 60_000 },
  );
  assert.equal(await add('a'), 'a');
  const others = [add('b'), add('c')];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(batches, [['a']]);
  await Promise.all([...others, add('d')]);
  assert.deepEqual(batches, [['a'], ['b', 'c', 'd']]);
});
