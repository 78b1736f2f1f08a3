import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { createConcurrencyLimit } from './concurrency-limit.ts';

/** Work that ends when the test says so. */
function task(begun: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = () => {
    begun.push(name);
    return promise;
  };
  return { work, finish: resolve };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('no account occupies all slots, and accounts take turns', async () => {
  const limited = createConcurrencyLimit({ slots: 2, perAccount: 1, maxWaiting: 2, maxWaitMs: 60_000 });
  const begun: string[] = [];
  const tasks = new Map(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => [name, task(begun, name)]));
  const run = (name: string) => limited(name.slice(0, 1), tasks.get(name)?.work ?? (async () => {}));
  const finish = async (name: string) => {
    tasks.get(name)?.finish();
    await settle();
  };
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(run);
  await settle();
  assert.deepEqual(begun, ['a1', 'b1']);
  await assert.rejects(run('a4'), { code: 'RATE_LIMITED' });
  await finish('a1');
  assert.deepEqual(begun, ['a1', 'b1', 'a2']);
  await finish('b1');
  assert.deepEqual(begun.slice(3), ['b2'], 'one turn each');
  await finish('a2');
  assert.deepEqual(begun.slice(4), ['c1'], 'a has had its second turn');
  await finish('b2');
  assert.deepEqual(begun.slice(5), ['a3']);
  await finish('c1');
  await finish('a3');
  await Promise.all(all);
});

test('lanes take turns, however much waits in one of them', async () => {
  const limited = createConcurrencyLimit({ slots: 1, perAccount: 1, maxWaiting: 3, maxWaitMs: 60_000 });
  const begun: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1', 'mail1', 'mail2', 'mail3', 'mail4'];
  const tasks = new Map(names.map((name) => [name, task(begun, name)]));
  const work = (name: string) => tasks.get(name)?.work ?? (async () => {});
  const all = [
    ...['a1', 'a2', 'a3', 'b1', 'c1', 'd1'].map((name) => limited(name.slice(0, 1), work(name))),
    // More than the limit for API callers: the sender limits itself.
    ...['mail1', 'mail2', 'mail3', 'mail4'].map((name) => limited('a', work(name), { lane: 'emails' })),
  ];
  for (const _ of names) {
    await settle();
    tasks.get(begun.at(-1) ?? '')?.finish();
  }
  await Promise.all(all);
  assert.deepEqual(
    begun.map((name) => name.startsWith('mail')),
    [false, true, false, true, false, true, false, true, false, false],
    begun.join(' '),
  );
});

test('failed work releases its slot', async () => {
  const limited = createConcurrencyLimit({ slots: 1, perAccount: 1, maxWaiting: 1, maxWaitMs: 60_000 });
  await assert.rejects(
    limited('a', async () => {
      throw new Error('no');
    }),
  );
  assert.equal(await limited('b', async () => 1), 1);
});

test('work whose caller leaves while it waits is dropped, and its slot is free', async () => {
  const limited = createConcurrencyLimit({ slots: 1, perAccount: 1, maxWaiting: 1, maxWaitMs: 60_000 });
  const begun: string[] = [];
  const first = task(begun, 'first');
  const running = limited('a', first.work);
  const caller = new AbortController();
  const dropped = limited('a', task(begun, 'dropped').work, { signal: caller.signal });
  await assert.rejects(limited('a', task(begun, 'too many').work), { code: 'RATE_LIMITED' });
  caller.abort();
  await assert.rejects(dropped, { code: 'SERVICE_UNAVAILABLE' });
  const next = task(begun, 'next');
  const waiting = limited('a', next.work);
  await assert.rejects(limited('b', task(begun, 'left before').work, { signal: caller.signal }), { code: 'SERVICE_UNAVAILABLE' });
  first.finish();
  next.finish();
  await Promise.all([running, waiting]);
  assert.deepEqual(begun, ['first', 'next']);
});

test('work that waits too long is rejected: 429 behind its own account, 503 behind others; emails to send wait on', async () => {
  const limited = createConcurrencyLimit({ slots: 2, perAccount: 1, maxWaiting: 3, maxWaitMs: 20 });
  const begun: string[] = [];
  const [own, other, mail] = [task(begun, 'own'), task(begun, 'other'), task(begun, 'mail')];
  const running = [limited('a', own.work), limited('b', other.work)];
  const waiting = limited('c', mail.work, { lane: 'emails' });
  const late = async (accountId: string, code: string) =>
    assert.rejects(
      limited(accountId, task(begun, 'late').work),
      (error) => error instanceof ApiError && error.code === code && (error.retryAfter ?? 0) > 0,
    );
  await Promise.all([late('a', 'RATE_LIMITED'), late('b', 'RATE_LIMITED'), late('d', 'SERVICE_UNAVAILABLE')]);
  for (const one of [own, other, mail]) one.finish();
  await Promise.all([...running, waiting]);
  assert.deepEqual(begun, ['own', 'other', 'mail']);
});

test('work waits no longer than until its deadline', async () => {
  const limited = createConcurrencyLimit({ slots: 1, perAccount: 1, maxWaiting: 3, maxWaitMs: 60_000 });
  const first = task([], 'first');
  const running = limited('a', first.work);
  await assert.rejects(limited('a', task([], 'late').work, { deadline: performance.now() + 20 }), { code: 'RATE_LIMITED' });
  await assert.rejects(limited('a', task([], 'too late').work, { deadline: performance.now() - 20 }), { code: 'RATE_LIMITED' });
  first.finish();
  await running;
});
