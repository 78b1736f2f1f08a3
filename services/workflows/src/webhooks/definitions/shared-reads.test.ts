import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedReads } from './shared-reads.ts';

test('shared reads', async (t) => {
  await t.test('serve all calls that came before them, and none that came later', async () => {
    const reads: { keys: readonly string[]; done: PromiseWithResolvers<void> }[] = [];
    const shared = createSharedReads(async (keys: readonly string[]) => {
      const done = Promise.withResolvers<void>();
      const number = reads.push({ keys, done });
      await done.promise;
      return (key) => `${key}${number}`;
    });
    const early = ['a', 'b', 'a'].map(shared);
    await new Promise(setImmediate);
    const late = ['a', 'c'].map(shared);
    reads[0]?.done.resolve();
    assert.deepEqual(await Promise.all(early), ['a1', 'b1', 'a1']);
    await new Promise(setImmediate);
    reads[1]?.done.resolve();
    assert.deepEqual(await Promise.all(late), ['a2', 'c2']);
    assert.deepEqual(
      reads.map(({ keys }) => keys),
      [
        ['a', 'b'],
        ['a', 'c'],
      ],
    );
  });

  await t.test('fail for their own callers only', async () => {
    let fails = true;
    const shared = createSharedReads(async () => {
      if (fails) throw new Error('at fault');
      return () => 1;
    });
    await assert.rejects(shared('a'), /at fault/);
    fails = false;
    assert.equal(await shared('a'), 1);
  });
});
