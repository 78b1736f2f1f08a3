import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as afterThis } from 'node:timers/promises';
import { setLink, wasRead, wasWritten } from './changes.ts';
import { type Again, createRunner } from './runner.ts';

/** A runner whose iterations end, and whose time passes, when the test says so. */
function runByHand(
  t: TestContext,
  config: { lookEveryMs?: number; backoffMs?: { first: number; max: number }; unloggedFailures?: number; reads?: string },
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => 1);
  const turns: (PromiseWithResolvers<Again> & { signal: AbortSignal })[] = [];
  const reported: unknown[] = [];
  const runner = createRunner({
    ...config,
    logger: { warn: (...said: unknown[]) => reported.push(said), info: (...said: unknown[]) => reported.push(said) },
    warning: 'it waits',
    work(signal) {
      if (config.reads) wasRead(config.reads);
      const turn = Promise.withResolvers<Again>();
      turns.push({ ...turn, signal });
      return turn.promise;
    },
  });
  return {
    runner,
    reported,
    turns: async () => {
      await afterThis();
      return turns.length;
    },
    signal: () => turns.at(-1)?.signal,
    respond: (again: Again) => turns.at(-1)?.resolve(again),
    fail: (error: Error) => turns.at(-1)?.reject(error),
    async pass(ms: number) {
      await afterThis();
      t.mock.timers.tick(ms);
    },
  };
}

test('continues immediately while there is work, and pauses when there is none', async (t) => {
  const { runner, turns, respond, pass } = runByHand(t, { lookEveryMs: 500 });
  runner.start();
  assert.equal(await turns(), 1);
  respond(true);
  assert.equal(await turns(), 2);
  respond(false);
  await pass(499);
  assert.equal(await turns(), 2);
  await pass(1);
  assert.equal(await turns(), 3);
});

test('the work can set the pause', async (t) => {
  const { runner, turns, respond, pass } = runByHand(t, { lookEveryMs: 500 });
  runner.start();
  respond(70);
  await pass(69);
  assert.equal(await turns(), 1);
  await pass(1);
  assert.equal(await turns(), 2);
  respond(0);
  await pass(0);
  assert.equal(await turns(), 3);
});

/** A runner that has learned that there is nothing to do, and that other replicas tell it what they write. */
async function restByHand(t: TestContext, database: string, again: Again) {
  setLink(database, () => true);
  const byHand = runByHand(t, { lookEveryMs: 500, reads: `${database}.jobs` });
  byHand.runner.start();
  assert.equal(await byHand.turns(), 1);
  byHand.respond(again);
  await byHand.pass(500);
  assert.equal(await byHand.turns(), 1, 'it rests');
  return byHand;
}

test('rests for ten seconds at most', async (t) => {
  const { turns, pass } = await restByHand(t, 'rests', false);
  await pass(9_499);
  assert.equal(await turns(), 1);
  await pass(1);
  assert.equal(await turns(), 2);
});

test('a rest ends when the next job is due', async (t) => {
  const { turns, pass } = await restByHand(t, 'due', { atMostMs: 3_000 });
  await pass(2_499);
  assert.equal(await turns(), 1);
  await pass(1);
  assert.equal(await turns(), 2);
});

test('a change ends the rest, and the runner then keeps its usual pace', async (t) => {
  const { turns, pass, respond } = await restByHand(t, 'changes', false);
  wasWritten('changes.others');
  assert.equal(await turns(), 1);
  wasWritten('changes.jobs');
  assert.equal(await turns(), 2);
  respond(false);
  await pass(500);
  assert.equal(await turns(), 3);
});

test('a job that is overdue, because it must wait for something else, is looked for at the usual pace', async (t) => {
  setLink('overdue', () => true);
  const { runner, turns, respond, pass } = runByHand(t, { lookEveryMs: 500, reads: 'overdue.jobs' });
  runner.start();
  assert.equal(await turns(), 1);
  respond({ atMostMs: -70 });
  await pass(499);
  assert.equal(await turns(), 1);
  await pass(1);
  assert.equal(await turns(), 2);
});

test('a wake ends the current pause only', async (t) => {
  const { runner, turns, respond } = runByHand(t, {});
  runner.start();
  respond(false);
  assert.equal(await turns(), 1);
  runner.wake();
  runner.wake();
  assert.equal(await turns(), 2);
  respond(false);
  assert.equal(await turns(), 2);
});

test('a wake during an iteration skips the pause that follows', async (t) => {
  const { runner, turns, respond } = runByHand(t, {});
  runner.start();
  assert.equal(await turns(), 1);
  runner.wake();
  assert.equal(await turns(), 1);
  respond(60_000);
  assert.equal(await turns(), 2);
});

test('backs off after failures, and logs the first, every tenth without a stack, and the recovery', async (t) => {
  const { runner, turns, respond, fail, pass, reported } = runByHand(t, { backoffMs: { first: 100, max: 300 } });
  runner.start();
  const fault = new Error('away');
  for (const [failures, rest] of [100, 200, ...Array<number>(10).fill(300)].entries()) {
    fail(fault);
    await pass(rest - 1);
    assert.equal(await turns(), failures + 1);
    await pass(1);
    assert.equal(await turns(), failures + 2);
    assert.equal(reported.length, failures < 9 ? 1 : 2);
  }
  assert.deepEqual(reported, [
    [{ err: fault }, 'it waits'],
    [{ failures: 10, reason: 'away' }, 'it waits'],
  ]);
  respond(true);
  assert.equal(await turns(), 14);
  assert.deepEqual(reported[2], [{ failures: 12, seconds: 0 }, 'it waits: recovered']);
  fail(fault);
  await pass(100);
  assert.equal(await turns(), 15);
  assert.equal(reported.length, 4);
});

test('logs expected failures only when they continue', async (t) => {
  const { runner, turns, fail, pass, reported } = runByHand(t, { unloggedFailures: 3 });
  runner.start();
  for (const expected of [0, 0, 0, 1, 1]) {
    fail(new Error('busy'));
    await pass(2_000);
    await turns();
    assert.equal(reported.length, expected);
  }
});

test('a stop ends a pause, including one after a failure', async (t) => {
  for (const rest of ['idle', 'failed'] as const) {
    const { runner, turns, respond, fail } = runByHand(t, {});
    runner.start();
    if (rest === 'idle') respond(false);
    else fail(new Error('away'));
    await turns();
    await runner.stop();
    assert.equal(await turns(), 1);
    t.mock.reset();
  }
});

test('a stop signals the current iteration and waits for it; no other follows', async (t) => {
  const { runner, turns, respond, signal } = runByHand(t, {});
  runner.start();
  assert.equal(await turns(), 1);
  assert.equal(signal()?.aborted, false);
  let stopped = false;
  const stop = runner.stop().then(() => {
    stopped = true;
  });
  assert.equal(signal()?.aborted, true);
  await turns();
  assert.equal(stopped, false);
  respond(true);
  await stop;
  assert.equal(await turns(), 1);
});

test('does nothing when it is stopped before it starts', async (t) => {
  const { runner, turns } = runByHand(t, {});
  await runner.stop();
  runner.start();
  assert.equal(await turns(), 0);
});
