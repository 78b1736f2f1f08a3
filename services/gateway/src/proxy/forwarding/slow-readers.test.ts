import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlowReaders } from './slow-readers.ts';

test('aborts all paused responses except its share: the oldest of the caller with the most first', () => {
  const readers = createSlowReaders(2);
  const gone: string[] = [];
  const add = (caller: string, name: string) => readers.add({ caller, abort: () => gone.push(name) });
  add('honest', 'old download');
  add('hostile', '1');
  const goesOn = add('hostile', '2');
  add('hostile', '3');
  goesOn();
  readers.makeRoom();
  assert.deepEqual(gone, ['1']);
  readers.makeRoom();
  assert.deepEqual(gone, ['1'], 'responses within the share stay');
});
