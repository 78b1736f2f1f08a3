import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createUploadSlots, type Uploader } from './upload-slots.ts';

/** A pending response; `emit('close')` makes its client leave. */
const response = () => Object.create(ServerResponse.prototype) as ServerResponse;
const config = { max: 4, maxPerAccount: 2, maxPerAddress: 3, maxWaiting: 2, waitMs: 60_000 };

/** Enters the queue and stores `leave` once the upload may begin. */
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

test('limits uploads per account and per address; others wait in order', async () => {
  const slots = createUploadSlots(config);
  const [first, second, third] = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  await settled();
  assert.deepEqual([Boolean(first.leave), Boolean(second.leave), Boolean(third.leave)], [true, true, false]);
  const [near, far] = [upload(slots, 'b', 'a'), upload(slots, 'c', 'a')];
  await settled();
  assert.deepEqual([Boolean(near.leave), Boolean(far.leave)], [true, false], 'the address is at its limit');
  second.leave?.();
  await settled();
  assert.deepEqual([Boolean(third.leave), Boolean(far.leave), slots.running()], [true, false, 3]);
  far.res.emit('close');
});

test('leaving frees the slot exactly once, even while waiting', async () => {
  const slots = createUploadSlots(config);
  const [first, second, third, fourth] = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  await settled();
  third.res.emit('close');
  await assert.rejects(third.entered, /disconnected/);
  first.res.emit('close');
  first.leave?.();
  await settled();
  assert.deepEqual([Boolean(fourth.leave), slots.running()], [true, 2]);
  for (const each of [second, fourth]) each.leave?.();
  assert.equal(slots.running(), 0);
});

test('rejects uploads that wait too long, or that arrive when too many are waiting', async () => {
  const slots = createUploadSlots({ ...config, waitMs: 10 });
  const waiting = [upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a'), upload(slots, 'a')];
  const expected = { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 };
  await assert.rejects(waiting[4]?.entered ?? Promise.resolve(), expected);
  await assert.rejects(waiting[2]?.entered ?? Promise.resolve(), expected);
  await assert.rejects(waiting[3]?.entered ?? Promise.resolve(), expected);
  assert.equal(slots.running(), 2);
});
