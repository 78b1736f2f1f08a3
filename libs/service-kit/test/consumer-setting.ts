import type { TestContext } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createConsumer, type EventHandler, on } from '../src/consume.ts';
import { prepareCollection } from '../src/mongo.ts';
import type { Parts } from '../src/service-parts.ts';

/** A separate type of events and stream for each test. */
export async function consumerSetting(
  t: TestContext,
  react: (parts: Parts) => EventHandler['react'],
  settings: Partial<Pick<Parameters<typeof createConsumer>[1], 'maxAttempts' | 'concurrency' | 'patience'>> = {},
  env: Parameters<typeof testParts>[2] = {},
) {
  const parts = await testParts(t, 'kit', env);
  const name = parts.mongo.db.databaseName;
  const event = defineEvent({ type: `${name}.thing.done`, version: 1, meaning: 'A thing was done.', data: z.object({ n: z.number() }) });
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  await prepareCollection(parts.mongo.db.collection('effects'), [], parts.mongo.db);
  parts.broker.start();
  await parts.broker.ensureStream(stream);
  const handler = on(event, react(parts));
  const build = () =>
    createConsumer(parts, { name: `${name}-consumer`, stream, filter: `${name}.>`, handlers: [handler], retryDelay: () => 1, ...settings });
  t.after(async () => (await parts.broker.connected()).manager.streams.delete(parts.broker.streamOf(name)).catch(() => undefined));

  const envelope = (n: unknown, id = newId('event')) => ({
    id,
    type: event.type,
    version: 1,
    time: new Date().toISOString(),
    account_id: 'account_1',
    correlation_id: 'req_1',
    causation_id: null,
    producer: 'test',
    data: { n },
  });
  const effects = parts.mongo.db.collection<{ n: number }>('effects');
  const deadLetters = async () => {
    const { manager } = await parts.broker.connected();
    const found = await manager.streams.getMessage(parts.broker.streamOf('DEAD'), {
      last_by_subj: parts.broker.subjectOf(`dead.${name}-consumer`),
    });
    return found?.json<{ reason: string; payload: string; attempts: number }>();
  };
  return { parts, event, build, envelope, effects, deadLetters };
}

/** The effect of an event: its number in a collection. */
export const insert =
  (parts: Parts): EventHandler['react'] =>
  async (tx, { data }) => {
    const { n } = z.object({ n: z.number() }).parse(data);
    await parts.mongo.db.collection<{ n: number }>('effects').insertOne({ n }, { session: tx.session });
  };
