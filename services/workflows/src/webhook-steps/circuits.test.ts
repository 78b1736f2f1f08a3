import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { createCallBudget } from '../receivers/call-budget.ts';
import { createCircuits } from './circuits.ts';

const call = { account_id: trustedId<'account'>('a'), host: 'h' };

function setting() {
  let now = 0;
  const circuits = createCircuits(() => new Date(now));
  const silence = (times: number) => Array.from({ length: times }, () => circuits.silent(call));
  return { circuits, silence, pass: (ms: number) => (now += ms) };
}

test('the circuit of a webhook host', async (t) => {
  await t.test('opens after five consecutive calls without a response, for this account only', () => {
    const { circuits, silence } = setting();
    assert.deepEqual(silence(4), [false, false, false, false]);
    circuits.responded(call);
    assert.deepEqual(silence(6), [false, false, false, false, true, false], 'reported once');
    assert.equal(circuits.enter(call), 'wait');
    assert.deepEqual(
      circuits.waiting().map(({ account_id, host }) => ({ account_id, host })),
      [call],
    );
    assert.deepEqual(
      [circuits.enter({ ...call, account_id: trustedId<'account'>('b') }), circuits.enter({ ...call, host: 'i' })],
      ['call', 'call'],
    );
  });

  await t.test('lets one call probe the host after 30 seconds, and closes on a response', () => {
    const { circuits, silence, pass } = setting();
    silence(5);
    pass(30_000);
    assert.deepEqual([circuits.enter(call), circuits.enter(call)], ['call', 'wait']);
    silence(1);
    assert.equal(circuits.enter(call), 'wait');
    pass(30_000);
    assert.equal(circuits.enter(call), 'call');
    circuits.responded(call);
    assert.deepEqual([circuits.enter(call), circuits.enter(call), circuits.waiting()], ['call', 'call', []]);
  });

  await t.test('makes calls wait for ten minutes, and then counts each as an attempt', () => {
    const { circuits, silence, pass } = setting();
    silence(5);
    pass(10 * 60_000);
    assert.deepEqual([circuits.enter(call), circuits.enter(call)], ['call', 'refuse']);
    assert.deepEqual(circuits.waiting(), [], 'so that no run waits forever');
  });

  await t.test('makes calls wait just as long when an earlier call got no response long ago', () => {
    const { circuits, silence, pass } = setting();
    silence(1);
    pass(24 * 3_600_000);
    silence(4);
    assert.equal(circuits.enter(call), 'wait');
    assert.equal(circuits.waiting().length, 1);
  });
});

test('calls in flight are limited in total, per account and per host', () => {
  const budget = createCallBudget({ maxCalls: 5, maxPerAccount: 2, maxPerHost: 3 });
  const take = (account: string, host: string) => budget.take({ account_id: trustedId<'account'>(account), host });
  assert.deepEqual([take('a', 'h'), take('a', 'h'), take('a', 'i')], [true, true, false]);
  assert.deepEqual([take('b', 'h'), take('c', 'h'), take('c', 'i'), take('d', 'j'), take('e', 'k')], [true, false, true, true, false]);
  assert.deepEqual([budget.room(), budget.full()], [0, { accounts: ['a'], hosts: ['h'] }]);
  budget.giveBack({ account_id: trustedId<'account'>('a'), host: 'h' });
  assert.deepEqual([budget.room(), budget.full(), take('c', 'h')], [1, { accounts: [], hosts: [] }, true]);
});
