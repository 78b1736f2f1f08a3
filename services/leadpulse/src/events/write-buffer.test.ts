import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { isRejection, newEvent } from './event.ts';
import type { NewEvent } from './event-document.ts';
import type { Stored } from './events-store.ts';
import { createWriteBuffer } from './write-buffer.ts';

function some(count: number): NewEvent[] {
  return Array.from({ length: count }, () => {
    const event = newEvent(trustedId<'account'>('account_1'), { event: 'x', visitor_id: 'v' }, { now: new Date() });
    assert.ok(!isRejection(event));
    return { event };
  });
}

/** A store whose writes complete when the test ends them. */
function heldStore() {
  const writes: { events: readonly NewEvent[]; end: () => void; fail: (error: Error) => void }[] = [];
  const insert = (events: readonly NewEvent[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<Stored[]>();
    writes.push({ events, end: () => resolve(events.map(({ event }) => ({ status: 'accepted', id: event.id }))), fail: reject });
    return promise;
  };
  return { writes, insert };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test('calls that arrive during a write share the next one, and each gets its own result', async () => {
  const store = heldStore();
  const writeBuffer = createWriteBuffer(store);
  const early = [writeBuffer.store(some(1))];
  await turn();
  early.push(writeBuffer.store(some(1)));
  await turn();
  const late = [some(3), some(1), some(2)];
  const responses = late.map((events) => writeBuffer.store(events));
  await turn();
  assert.deepEqual(
    store.writes.map(({ events }) => events.length),
    [1, 1],
    'a lone call does not wait; the rest does',
  );
  store.writes[0]?.end();
  await early[0];
  await turn();
  assert.deepEqual(store.writes[2]?.events, late.flat());
  store.writes[2]?.end();
  for (const [index, pending] of responses.entries())
    assert.deepEqual(
      (await pending).map(({ id }) => id),
      late[index]?.map(({ event }) => event.id),
    );
  store.writes[1]?.end();
  await early[1];
});

test('a failed write fails only its own calls', async () => {
  const store = heldStore();
  const writeBuffer = createWriteBuffer(store);
  const failing = writeBuffer.store(some(1));
  await turn();
  store.writes[0]?.fail(new Error('unavailable'));
  await assert.rejects(failing, /unavailable/);
  const next = writeBuffer.store(some(1));
  await turn();
  store.writes[1]?.end();
  assert.equal((await next).length, 1);
});

test('throws SERVICE_UNAVAILABLE with retryAfter if too many events are waiting', async () => {
  const store = heldStore();
  const writeBuffer = createWriteBuffer(store, { maxWaiting: 10 });
  const writing = [writeBuffer.store(some(5))];
  await turn();
  writing.push(writeBuffer.store(some(5)));
  await turn();
  const waiting = writeBuffer.store(some(10));
  assert.throws(() => writeBuffer.store(some(1)), { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
  for (const { end } of store.writes) end();
  await Promise.all(writing);
  await turn();
  store.writes[2]?.end();
  assert.equal((await waiting).length, 10);
});
