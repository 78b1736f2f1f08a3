import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createConnections } from './connections.ts';

test('a caller holds three times as many connections as are free, and callers take turns for more', () => {
  const connections = createConnections(8);
  const sent: string[] = [];
  const enter = (caller: string, name: string) => connections.enter(caller, () => sent.push(name));
  for (let index = 1; index <= 8; index += 1) enter('busy', `busy ${index}`);
  assert.deepEqual([sent.length, connections.waiting()], [6, 2]);
  enter('quiet', 'quiet 1');
  enter('quiet', 'quiet 2');
  enter('quiet', 'quiet 3');
  const leave = enter('late', 'late 1');
  assert.deepEqual(sent.slice(6), ['quiet 1', 'quiet 2'], 'no connection is left');
  leave?.();
  leave?.();
  assert.equal(connections.waiting(), 3);
  connections.release('busy');
  assert.deepEqual(sent.slice(8), ['quiet 3'], 'the busy caller holds more than three times the free one');
  for (let index = 0; index < 5; index += 1) connections.release('busy');
  assert.deepEqual(sent.slice(9), ['busy 7', 'busy 8']);
});

test('whatever callers do, no more are sent than there are connections, and every request that waits is sent in the end', () => {
  const actions = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('enter', 'release', 'leave')), { maxLength: 200 });
  fc.assert(
    fc.property(actions, (all) => {
      const connections = createConnections(4);
      const running: string[] = [];
      const queue = new Map<() => void, string>();
      for (const [caller, action] of all) {
        const at = running.indexOf(caller);
        const [leave] = [...queue].find(([, waits]) => waits === caller) ?? [];
        if (action === 'enter') {
          let left: (() => void) | undefined;
          const send = () => {
            if (left) queue.delete(left);
            running.push(caller);
          };
          left = connections.enter(caller, send);
          if (left) queue.set(left, caller);
        } else if (action === 'leave' && leave) {
          leave();
          queue.delete(leave);
        } else if (at >= 0) {
          running.splice(at, 1);
          connections.release(caller);
        }
        assert.ok(running.length <= 4);
        assert.equal(connections.waiting(), queue.size);
      }
      while (running[0] !== undefined) connections.release(running.shift() ?? '');
      assert.equal(queue.size, 0);
    }),
  );
});
