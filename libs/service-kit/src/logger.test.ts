import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { trustedId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys, testParts } from '@mp/test-kit/test-parts';
import { pino } from 'pino';
import { createServer } from './create-server.ts';
import { noteInLogs } from './log-context.ts';
import { loggedError } from './logged-error.ts';
import { logSettings } from './logger.ts';
import { createRunner } from './runner.ts';

const address = 'ada.lovelace@example.com';

test('a logged error', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  const people = mongo.db.collection<{ email: string; n?: number }>('people');
  await people.createIndex({ email: 1 }, { unique: true });
  await people.insertOne({ email: address });
  const failure = (write: Promise<unknown>) =>
    write.then(
      () => assert.fail('it should have failed'),
      (error: unknown) => error,
    );
  const errors = {
    insert: await failure(people.insertOne({ email: address })),
    bulk: await failure(people.insertMany([{ email: address }, { email: address }], { ordered: false })),
    mixed: await failure(people.bulkWrite([{ updateOne: { filter: { n: 1 }, update: { $set: { email: address } }, upsert: true } }])),
  };
  const lines: string[] = [];
  const logger = pino(logSettings('kit', 'info'), { write: (line: string) => lines.push(line) });

  await t.test('has no personal data, neither from the message of MongoDB nor from its properties, however deep', () => {
    for (const [name, error] of Object.entries(errors)) {
      assert.match(JSON.stringify(error) + String(error), /ada\.lovelace/, `${name} does not show that anything is cut`);
      for (const err of [error, new Error('outer', { cause: new Error('inner', { cause: error }) }), new AggregateError([error], 'all')]) {
        lines.length = 0;
        logger.error({ err }, 'failed');
        const [line = ''] = lines;
        assert.doesNotMatch(line, /ada\.lovelace/);
        assert.match(line, /E11000 duplicate key error.* index: email_1 dup key: \[redacted\]/);
        assert.match(line, /redacted..{1,3}n {4}at /, 'the stack is kept');
      }
    }
  });

  await t.test('has no personal data of a failed request either', async (t) => {
    const app = createServer({ name: 'kit', contextKeys, logger });
    app.get('/v2/broken', { config: { scope: null } }, async () => {
      throw errors.insert;
    });
    await app.ready();
    t.after(() => app.close());
    lines.length = 0;
    assert.equal((await testClient(app).get('/v2/broken')).status, 500);
    assert.match(lines.join(''), /request failed/);
    assert.match(lines.join(''), /dup key: \[redacted\]/);
    assert.doesNotMatch(lines.join(''), /ada\.lovelace/);
  });

  await t.test('has the type, code, message, stack and causes', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect', port: 4222, secret: 'x' });
    const { stack, ...logged } = loggedError(new TypeError('no broker', { cause: refused })) as { stack: string; cause: { stack: string } };
    assert.match(stack, /^TypeError: no broker\n {4}at /);
    const { stack: inner, ...cause } = logged.cause;
    assert.match(inner, /ECONNREFUSED\n {4}at /);
    assert.deepEqual(
      { ...logged, cause },
      {
        type: 'TypeError',
        message: 'no broker',
        cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', syscall: 'connect', port: 4222 },
      },
    );
    assert.deepEqual(
      [loggedError('text'), loggedError(undefined), loggedError({ email: address })],
      ['text', undefined, { type: 'Object' }],
    );
    const ring = new Error('ring');
    ring.cause = ring;
    assert.ok(JSON.stringify(loggedError(ring)).length < 50_000);
  });
});

test('the lines of a job name its account, even when it fails', async () => {
  const lines: string[] = [];
  const logger = pino(logSettings('kit', 'info'), { write: (line: string) => lines.push(line) });
  const jobs = ['account_1', 'account_2'].map(trustedId<'account'>);
  const runner = createRunner({
    logger,
    warning: 'a job failed',
    work: async () => {
      const account_id = jobs.shift();
      if (account_id === undefined) return false;
      noteInLogs({ account_id });
      await Promise.resolve();
      logger.info('working');
      if (account_id === 'account_2') throw new Error('broken');
      return true;
    },
  });
  runner.start();
  await eventually(async () => lines.length >= 3);
  await runner.stop();
  // The runner may have logged its recovery as well.
  assert.deepEqual(
    lines
      .slice(0, 3)
      .map((line) => JSON.parse(line))
      .map(({ msg, account_id }) => [msg, account_id]),
    [
      ['working', 'account_1'],
      ['working', 'account_2'],
      ['a job failed', 'account_2'],
    ],
  );
});

test('logs a deliberate rejection as one line without a stack, and a fault with its stack', async (t) => {
  const lines: string[] = [];
  const logger = pino(logSettings('kit', 'info'), { write: (line: string) => lines.push(line) });
  const app = createServer({ name: 'kit', contextKeys, logger });
  const faults = {
    busy: () => new ApiError('SERVICE_UNAVAILABLE', 'Too many sign in at once; try again.', { retryAfter: 2 }),
    broken: () => new Error('broken'),
    wrapped: () => new ApiError('SERVICE_UNAVAILABLE', 'The database is unavailable.', { cause: new Error('broken') }),
  };
  for (const [name, make] of Object.entries(faults)) {
    app.get(`/v2/${name}`, { config: { scope: 'contacts:read' } }, () => {
      throw make();
    });
  }
  await app.ready();
  t.after(() => app.close());
  const logged = async (name: string) => {
    lines.length = 0;
    await testClient(app).get(`/v2/${name}`);
    return lines.map((line) => JSON.parse(line)).find(({ msg }) => msg !== 'request');
  };
  const refused = await logged('busy');
  assert.deepEqual([refused.level, refused.code, refused.err], [40, 'SERVICE_UNAVAILABLE', undefined]);
  for (const name of ['broken', 'wrapped']) {
    const { level, err } = await logged(name);
    assert.equal(level, 50);
    assert.match(err.stack, /\bat /);
  }
});

test('batched lines are written within a moment, also those that arrive while the reader stalls', async (t) => {
  const script = `
    import { createBatchedLogger } from '${import.meta.resolve('./logger.ts')}';
    const logger = createBatchedLogger('kit', 'info');
    process.on('message', (lines) => {
      for (const line of lines) logger.info(line);
      // After the time of a batch.
      setTimeout(() => process.send('waited'), 400);
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.stdout);
  let written = '';
  const messages = () => [...written.matchAll(/"msg":"([^"]*)"/g)].map(([, message]) => message);
  child.stdout.on('data', (chunk) => {
    written += chunk;
  });
  child.send(['one']);
  await Promise.all([once(child, 'message'), eventually(async () => messages().length === 1)]);
  child.stdout.pause();
  // More than a pipe holds, and less than what makes the logger drop lines; the last two do not fill a batch.
  const long = 'x'.repeat(1_000);
  child.send([...Array.from({ length: 901 }, () => long), 'last']);
  await once(child, 'message');
  child.stdout.resume();
  await eventually(async () => messages().at(-1) === 'last');
  assert.equal(messages().length, 903);
});

test('a process ends although nobody reads its last lines any more', async (t) => {
  const script = `
    import { createLogger } from '${import.meta.resolve('./logger.ts')}';
    const logger = createLogger('kit', 'info');
    process.on('message', () => {
      logger.info('stopping');
      logger.info('stopped');
      process.exit();
    });
    process.send('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'message');
  child.stdout?.destroy();
  child.send('stop');
  await once(child, 'exit');
});
