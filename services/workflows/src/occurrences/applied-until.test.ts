import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streams } from '@mp/contracts/streams';
import { newId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { eventually } from '@mp/test-kit/eventually';
import { createAppliedUntil } from './applied-until.ts';

const account = newId('account');
const minuteMs = 60_000;
const watches = ['event order_placed'];

function setting() {
  let now = Date.parse('2026-03-02T12:00:00Z');
  const state = { ready: true, replies: true, progress: 'behind' as 'applied' | 'behind' | 'lost', requests: [] as string[], warnings: 0 };
  const clock = () => new Date(now);
  const request = async (type: { subject: string }) => {
    state.requests.push(type.subject.split('.')[1] ?? '');
    if (!state.replies) throw new Error('no reply');
    return { position: { stream: streams.leadpulse.name, epoch: 'first', sequence: 1 }, mark: null };
  };
  const appliedUntil = createAppliedUntil({
    broker: { request: request as Broker['request'], ready: () => state.ready },
    consumers: [{ reads: { stream: streams.leadpulse, readers: [] }, progressTo: async () => state.progress }],
    logger: { warn: () => (state.warnings += 1), info: () => undefined, debug: () => undefined },
    clock,
  });
  return {
    state,
    clock,
    pass: (ms: number) => {
      now += ms;
    },
    isApplied: async (at: Date) => (await appliedUntil(account, watches, at)) === 0,
  };
}

test('a run waits for consumers that are behind, or for publishers that do not reply, for 15 minutes', async () => {
  for (const replies of [true, false]) {
    const { state, clock, pass, isApplied } = setting();
    state.replies = replies;
    const at = clock();
    assert.equal(await isApplied(at), false);
    pass(15 * minuteMs - 1);
    assert.equal(await isApplied(at), false);
    assert.equal(state.warnings, 0);
    pass(1);
    assert.equal(await isApplied(at), true);
    assert.equal(state.warnings, 1);
    assert.equal(await isApplied(clock()), false, 'a run whose time has just come waits as long');
  }
});

test('the time in which NATS is unavailable does not count', async () => {
  const { state, clock, pass, isApplied } = setting();
  const at = clock();
  state.ready = false;
  for (let waited = 0; waited < 60; waited += 1) {
    assert.equal(await isApplied(at), false);
    pass(minuteMs);
  }
  state.ready = true;
  pass(-minuteMs);
  assert.equal(await isApplied(at), false);
  pass(15 * minuteMs);
  assert.equal(await isApplied(at), true);
});

test('what has been applied once is known without a request, for all runs that were due by then', async () => {
  const { state, clock, pass, isApplied } = setting();
  state.progress = 'applied';
  const earlier = clock();
  pass(minuteMs);
  const at = clock();
  assert.equal(await isApplied(at), true);
  assert.deepEqual(state.requests, ['contacts', 'leadpulse']);
  assert.deepEqual([await isApplied(earlier), await isApplied(at)], [true, true]);
  assert.equal(state.requests.length, 2);
  pass(50);
  assert.equal(await isApplied(clock()), false, 'the next request is made a moment later');
  pass(50);
  const those = await Promise.all(Array.from({ length: 20 }, () => isApplied(clock())));
  assert.deepEqual([new Set(those), state.requests.length], [new Set([true]), 4]);
});

test('a stream that lost events has new positions', async () => {
  const { state, clock, isApplied } = setting();
  state.progress = 'lost';
  const at = clock();
  assert.equal(await isApplied(at), false);
  state.progress = 'applied';
  // The result is shared for a moment.
  await eventually(() => isApplied(at));
  assert.equal(state.requests.filter((name) => name === 'leadpulse').length, 2);
});
