import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiError } from '@mp/contracts/errors';
import fc from 'fast-check';
import { createBodyMemory, type HeldBody } from './body-memory.ts';

const isFull = { code: 'SERVICE_UNAVAILABLE', retryAfter: 2 };

test('bodies in memory never exceed the limits, whatever clients send them and however they end', () => {
  const step = fc.record({
    what: fc.constantFrom('open', 'add', 'arrived', 'release'),
    caller: fc.constantFrom('a', 'b', 'c'),
    which: fc.nat({ max: 20 }),
    bytes: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const memory = createBodyMemory(100, 50);
      const held = new Map<HeldBody, string>();
      const end = (body: HeldBody) => void held.delete(body);
      for (const { what, caller, which, bytes } of steps) {
        if (what === 'open') {
          const body: HeldBody = memory.open(caller, () => end(body));
          held.set(body, caller);
          continue;
        }
        const body = [...held.keys()][which];
        if (!body) continue;
        if (what === 'arrived') memory.arrived(body);
        if (what === 'release') {
          memory.release(body);
          end(body);
        }
        if (what === 'add') {
          try {
            memory.add(body, bytes);
          } catch {
            end(body);
          }
        }
        const sum = (of?: string) => [...held].reduce((all, [each, name]) => all + (of === undefined || of === name ? each.bytes : 0), 0);
        assert.equal(memory.bytes(), sum());
        assert.ok(sum() <= 100);
        for (const name of ['a', 'b', 'c']) assert.ok(sum(name) <= 50);
      }
      for (const body of held.keys()) memory.release(body);
      assert.equal(memory.bytes(), 0);
    }),
  );
});

test('when memory is full, aborts the oldest unfinished body of the caller that holds the most', () => {
  const memory = createBodyMemory(100, 60);
  const gone: string[] = [];
  const begin = (caller: string, name: string, bytes: number) => {
    const body = memory.open(caller, () => gone.push(name));
    memory.add(body, bytes);
    return body;
  };
  begin('slow', 'first', 25);
  begin('slow', 'second', 25);
  begin('other', 'other', 20);
  const quick = memory.open('quick', undefined);
  memory.add(quick, 35);
  assert.deepEqual(gone, ['first'], 'not the body of a caller that holds less');
  memory.add(quick, 25);
  assert.deepEqual(gone, ['first', 'second']);
});

test('each caller has its own limit, and complete bodies are never aborted', () => {
  const memory = createBodyMemory(100, 50);
  const errors: ApiError[] = [];
  const slow = memory.open('a', (error) => errors.push(error));
  memory.add(slow, 30);
  const complete = memory.open('a', undefined);
  memory.add(complete, 40);
  assert.deepEqual([errors.map(({ code }) => code), memory.bytes()], [['RATE_LIMITED'], 40]);
  assert.throws(() => memory.add(memory.open('a', undefined), 20), { code: 'RATE_LIMITED' });
  memory.add(memory.open('b', undefined), 50);
  assert.throws(() => memory.add(memory.open('c', undefined), 20), isFull);
  assert.equal(memory.bytes(), 90, 'a rejected body holds no memory');
  memory.release(complete);
  memory.release(complete);
  assert.equal(memory.bytes(), 50);
});

test('a body that holds no memory yet is not aborted', () => {
  const memory = createBodyMemory(100, 60);
  const gone: string[] = [];
  memory.open('begins', () => gone.push('begins'));
  memory.add(memory.open('a', undefined), 60);
  assert.throws(() => memory.add(memory.open('b', undefined), 50), isFull);
  assert.deepEqual(gone, []);
});

test('releasing a body twice does not reset the count of its caller, with any number of callers', () => {
  const memory = createBodyMemory(10_000, 50);
  for (let n = 0; n < 1_001; n += 1) memory.add(memory.open(`other ${n}`, undefined), 1);
  const before = memory.open('a', undefined);
  memory.add(before, 1);
  memory.release(before);
  memory.add(memory.open('a', undefined), 50);
  memory.release(before);
  assert.throws(() => memory.add(memory.open('a', undefined), 1), { code: 'RATE_LIMITED' });
});
