import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { createCircuitBreaker, createCircuitBreakers } from './circuit-breaker.ts';

function setUp() {
  const clock = { now: 0 };
  const breaker = createCircuitBreaker({ now: () => clock.now, maxFailures: 3, pauseMs: 1_000 });
  return { clock, breaker };
}

test('opens after a number of failures, only if they are consecutive', () => {
  const { breaker } = setUp();
  breaker.failed();
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  breaker.failed();
  assert.equal(breaker.allows(), true);
  assert.equal(breaker.failed(), true);
  assert.equal(breaker.allows(), false);
  assert.equal(breaker.failed(), false, 'reported once');
});

test('requests that time out or are aborted open it only if several callers meet them', () => {
  const breaker = createCircuitBreaker({ now: () => 0, maxFailures: 10, pauseMs: 1_000 });
  for (let index = 0; index < 100; index += 1) {
    breaker.failed('a');
    breaker.failed('b');
  }
  assert.equal(breaker.allows(), true);
  breaker.failed('c');
  assert.equal(breaker.allows(), true);
  breaker.failed('d');
  assert.equal(breaker.allows(), false);
  breaker.succeeded();
  for (let index = 0; index < 100; index += 1) breaker.failed('a');
  for (let index = 0; index < 5; index += 1) breaker.failed();
  assert.equal(breaker.isOpen(), false);
  breaker.failed();
  assert.equal(breaker.isOpen(), true, 'failed connections count without a caller');
});

test('after the pause lets one trial request pass and rejects the others', () => {
  const { clock, breaker } = setUp();
  for (let index = 0; index < 3; index += 1) breaker.failed();
  clock.now = 1_000;
  assert.equal(breaker.allows(), true);
  assert.equal(breaker.allows(), false);
  breaker.failed();
  clock.now = 1_999;
  assert.equal(breaker.allows(), false);
  clock.now = 2_000;
  assert.equal(breaker.allows(), true);
  assert.equal(breaker.isOpen(), true);
  breaker.succeeded();
  assert.equal(breaker.allows(), true);
  assert.equal(breaker.isOpen(), false);
});

test('setting the clock back does not prolong the pause', async (t) => {
  const breaker = createCircuitBreaker({ maxFailures: 1, pauseMs: 20 });
  breaker.failed();
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() - 3_600_000);
  assert.ok(await eventually(async () => breaker.allows()));
});

test('each receiver has a circuit of its own, whose pause grows with each failed trial', () => {
  const clock = { now: 0 };
  const breakers = createCircuitBreakers(String, { now: () => clock.now, maxFailures: 5, pauseMs: 5_000, maxPauseMs: 60_000, max: 10 });
  const fail = (times: number) => Array.from({ length: times }, () => breakers.failed('a'));
  const state = () => breakers.find('a')?.state();
  fail(4);
  assert.equal(breakers.succeeded('a'), false);
  assert.deepEqual(fail(5), [false, false, false, false, true]);
  assert.deepEqual([state(), breakers.find('b'), breakers.receivers((breaker) => breaker.isOpen())], ['open', undefined, ['a']]);
  clock.now += 5_000;
  assert.equal(state(), 'half_open');
  fail(1);
  clock.now += 5_000;
  assert.deepEqual([state(), breakers.find('a')?.openForMs()], ['open', 10_000]);
  clock.now += 5_000;
  assert.equal(state(), 'half_open');
  fail(10);
  clock.now += 60_000;
  assert.equal(state(), 'half_open', 'after a minute at most');
  assert.equal(breakers.succeeded('a'), true);
  assert.equal(breakers.find('a'), undefined);
});
