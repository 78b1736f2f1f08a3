import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { MongoNetworkError } from 'mongodb';
import { createJobRunner } from './job-worker.ts';

test('jobs are processed in turns', async (t) => {
  const parts = await testParts(t, 'contacts');
  const logger = parts.logger.child({});
  const warn = t.mock.method(logger, 'warn', () => undefined);

  /** A turn in which the job makes progress before it fails. */
  const afterProgress = new Error('failed after making progress');

  /** Processes one job whose turns end as given: done, not done, or failed. Returns what happened. */
  async function story(turns: (boolean | Error)[]) {
    const logged: string[] = [];
    let attempts = 0;
    let isOver = false;
    const runner = createJobRunner({
      logger,
      noun: 'import',
      clear: async () => undefined,
      claim: async () =>
        isOver || turns.length === 0 ? undefined : { id: 'import_1', accountId: trustedId<'account'>('account_1'), attempts },
      async work() {
        const turn = turns.shift() ?? true;
        if (turn === afterProgress) attempts = 0;
        if (turn instanceof Error) throw turn;
        isOver = turn;
        logged.push(turn ? 'done' : 'a turn');
        return turn;
      },
      attemptsOf: async () => attempts,
      async release(_, delayMs = 0) {
        assert.ok(delayMs === 0 || (delayMs >= 500 && delayMs <= 500 + 500 * 2 ** attempts), `${delayMs} ms after ${attempts} others`);
        attempts = delayMs > 0 ? attempts + 1 : 0;
        logged.push(delayMs === 0 ? 'released' : 'rests');
      },
      async fail(_, { code }) {
        isOver = true;
        logged.push(code);
      },
      givenUp: 'It failed.',
    });
    t.after(() => runner.stop());
    runner.start();
    await eventually(async () => isOver || turns.length === 0);
    await runner.stop();
    return logged;
  }

  await t.test('until they are done', async () => {
    assert.deepEqual(await story([false, false, true]), ['a turn', 'released', 'a turn', 'released', 'done']);
  });

  await t.test('retries a failing job with growing delays and finally gives up', async () => {
    const logged = await story(Array.from({ length: 9 }, () => new Error('broken')));
    assert.deepEqual(logged, [...Array(7).fill('rests'), 'internal_error']);
    assert.deepEqual(await story([new Error('broken'), false, true]), ['rests', 'a turn', 'released', 'done']);
  });

  await t.test('does not give up a job that makes progress in between', async () => {
    const sevenTimes = Array.from({ length: 7 }, () => new Error('broken'));
    assert.deepEqual(await story([...sevenTimes, afterProgress, true]), [...Array(8).fill('rests'), 'done']);
  });

  await t.test('does not count failures while MongoDB is unavailable', async () => {
    const away = Array.from({ length: 3 }, () => new MongoNetworkError('connection lost'));
    assert.deepEqual(await story([...away, true]), ['done']);
  });

  await t.test('logs a repeated failure once with its stack, then every tenth time', async () => {
    warn.mock.resetCalls();
    await story([...Array.from({ length: 20 }, () => afterProgress), true]);
    assert.equal(warn.mock.callCount(), 3);
  });
});
