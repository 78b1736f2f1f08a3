import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureLog } from './failure-log.ts';

function recorded(options: Parameters<typeof createFailureLog>[2] = {}) {
  const lines: unknown[] = [];
  const line = (...said: unknown[]) => lines.push(said);
  return { lines, log: createFailureLog({ warn: line, info: line }, 'it fails', options) };
}

test('logs a hundred consecutive failures eleven times, once with the stack, and the recovery once', () => {
  const { lines, log } = recorded({ details: { consumer: 'one' } });
  const fault = new Error('E11000 dup key: { email: "ada@example.com" }');
  for (let failures = 0; failures < 100; failures += 1) log.failed(fault);
  assert.equal(lines.length, 11);
  assert.deepEqual(lines[0], [{ consumer: 'one', err: fault }, 'it fails']);
  assert.deepEqual(lines[1], [{ consumer: 'one', failures: 10, reason: 'E11000 dup key: [redacted]' }, 'it fails']);
  log.succeeded();
  log.succeeded();
  assert.deepEqual(lines.slice(11), [[{ consumer: 'one', failures: 100, seconds: 0 }, 'it fails: recovered']]);
});

test('logs nothing without failures', () => {
  const { lines, log } = recorded();
  log.succeeded();
  assert.deepEqual(lines, []);
});

test('one success is not a recovery when successes and failures alternate', () => {
  const { lines, log } = recorded({ recoveredAfter: 3 });
  for (let times = 0; times < 20; times += 1) {
    log.failed(new Error('sometimes'));
    log.succeeded();
  }
  assert.equal(lines.length, 3);
  log.succeeded();
  log.succeeded();
  assert.equal(lines.length, 4);
});

test('a failure long after the last one starts a new series', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const { lines, log } = recorded();
  for (let failures = 0; failures < 5; failures += 1) log.failed(new Error('now'));
  t.mock.timers.tick(6 * 60_000);
  log.failed(new Error('later'));
  assert.equal(lines.length, 2);
});

test('logs at most one line a minute after many failures', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const { lines, log } = recorded();
  const fail = (seconds: number) => {
    for (let failures = 0; failures < seconds * 1_000; failures += 1) {
      if (failures % 100 === 0) t.mock.timers.tick(100);
      log.failed(new Error('at once'));
    }
  };
  fail(1);
  assert.equal(lines.length, 11);
  fail(600);
  assert.equal(lines.length, 11 + 10);
  log.succeeded();
  assert.match(JSON.stringify(lines.at(-1)), /"failures":601000,"seconds":601\}.*recovered/);
});

test('logs at most one recovery a minute when failures and successes alternate', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { lines, log } = recorded();
  for (let times = 0; times < 600; times += 1) {
    log.failed(new Error('every second'));
    log.succeeded();
    t.mock.timers.tick(1_000);
  }
  assert.ok(lines.length <= 10 * 8, `${lines.length}`);
  t.mock.timers.tick(60_000);
  log.succeeded();
  assert.match(JSON.stringify(lines.at(-1)), /recovered/);
});
