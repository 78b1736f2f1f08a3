import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { MongoNetworkError } from 'mongodb';
import { pino } from 'pino';
import { createConsumer } from './consume.ts';
import { createServer } from './create-server.ts';

function recordingLogger() {
  const lines: { level: number; msg: string; failures?: number; err?: { stack?: string } }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, logger };
}

test('a consumer that cannot start logs few lines, one of them with a stack', async (t) => {
  const { lines, logger } = recordingLogger();
  const { broker, ...parts } = await testParts(t, 'kit');
  // nats-server rejects a stream whose subjects another stream has.
  const stream = { name: 'OTHERS', subject: 'contacts.contact.>', keepDays: 1 };
  const consumer = createConsumer({ ...parts, broker, logger }, { name: 'nobody', stream, filter: 'contacts.contact.>', handlers: [] });
  broker.start();
  consumer.start();
  const reported = () => lines.filter(({ msg }) => msg.startsWith('consumer stopped'));
  await eventually(async () => reported().some(({ failures }) => failures === 20));
  await consumer.stop();
  assert.deepEqual(
    reported().map(({ failures, err }) => [failures, err !== undefined]),
    [
      [undefined, true],
      [10, false],
      [20, false],
    ],
  );
});

test('a thousand requests that fail without MongoDB do not log a thousand stacks', async (t) => {
  const { lines, logger } = recordingLogger();
  const parts = await testParts(t, 'kit');
  const app = createServer({ ...parts, name: 'kit', logger });
  app.get('/things', { schema: { hide: true } }, async () => {
    throw new MongoNetworkError('connection 1 closed');
  });
  for (let times = 0; times < 1_000; times += 1) assert.equal((await app.inject('/things')).statusCode, 503);
  assert.equal(lines.length, 11);
  assert.equal(lines.filter(({ err }) => err !== undefined).length, 1);
});
