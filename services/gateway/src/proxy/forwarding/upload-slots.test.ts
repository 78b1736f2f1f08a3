import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createUploadSlots, type Uploader } from './upload-slots.ts';

/** A response that is not there yet; `emit('close')` is its client leaving. */
const response = () => Object.create(ServerResponse.prototype) as ServerResponse;
const config = { max: 4, perAccountMax: 2, perAddressMax: 3, waitingMax: 2, waitMs: 60_000 };

/** Enters, and remembers how to leave once it may begin. */
function upload(slots: ReturnType<typeof createUploadSlots>, account: string, address = account) {
  const uploader: Uploader = { account, address };
  const res = response();
  const own: { leave?: () => void; res: ServerResponse; entered: Promise<void> } = { res, entered: Promise.resolve() };
  own.entered = slots.enter(uploader, res).then((leave) => {
    own.leave = leave;
  });
  own.entered.catch(() => undefined);
  return own;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an account and an address have so many uploads at a time; the others wait, and come before those that ask later', async () => {
  const slots = createUploadSlots(config);
  const [first, second, third] = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  await settled();
  assert.deepEqual([Boolean(first.leave), Boolean(second.leave), Boolean(third.leave)], [true, true, false]);
  const [near, far] = [upload(slots, 'b', 'a'), upload(slots, 'c', 'a')];
  await settled();
  assert.deepEqual([Boolean(near.leave), Boolean(far.leave)], [true, false], 'the address is full');
  second.leave?.();
  await settled();
  assert.deepEqual([Boolean(third.leave), Boolean(far.leave), slots.running()], [true, false, 3]);
  far.res.emit('close');
});

test('nobody holds a place after leaving, waiting or not, and however often it is said', async () => {
  const slots = createUploadSlots(config);
  const [first, second, third, fourth] = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  await settled();
  third.res.emit('close');
  await assert.rejects(third.entered, /left/);
  first.res.emit('close');
  first.leave?.();
  await settled();
  assert.deepEqual([Boolean(fourth.leave), slots.running()], [true, 2]);
  for (const each of [second, fourth]) each.leave?.();
  assert.equal(slots.running(), 0);
});

test('who waits for too long, and who comes when too many wait, is told to come back', async () => {
  const slots = createUploadSlots({ ...config, waitMs: 10 });
  const waiting = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  const expected = { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 };
  await assert.rejects(waiting[4]?.entered ?? Promise.resolve(), expected);
  await assert.rejects(waiting[2]?.entered ?? Promise.resolve(), expected);
  await assert.rejects(waiting[3]?.entered ?? Promise.resolve(), expected);
  assert.equal(slots.running(), 2);
});
