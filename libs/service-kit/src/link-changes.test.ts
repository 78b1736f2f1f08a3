import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { wakeSubject } from '@mp/contracts/wake';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { testNamespace, testParts } from '@mp/test-kit/test-parts';
import { queueName, type TimedJob } from '../test/resting-replica.ts';
import { areAllLinked, noteReads, onWritten } from './changes.ts';
import type { Mongo } from './mongo.ts';
import { createRunner } from './runner.ts';

const queues = 20;

const untilLinked = ({ db }: Mongo) => eventually(async () => areAllLinked(new Set([`${db.databaseName}.any`])));

async function linkedParts(t: TestContext) {
  const parts = await testParts(t, 'contacts');
  parts.broker.start();
  await untilLinked(parts.mongo);
  return parts;
}

/** A runner that looks every 50 ms until it rests, and counts how often it has looked. */
async function restingRunner(t: TestContext, { mongo, logger }: Awaited<ReturnType<typeof linkedParts>>) {
  const jobs = mongo.db.collection<{ _id: number; free?: boolean }>('jobs');
  await jobs.insertOne({ _id: 0 });
  let looks = 0;
  const runner = createRunner({
    logger,
    warning: 'it waits',
    lookEveryMs: 50,
    async work() {
      looks += 1;
      await jobs.findOneAndUpdate({ free: true }, { $set: { free: false } });
      return false;
    },
  });
  runner.start();
  t.after(runner.stop);
  await pause(500);
  assert.equal(looks, 1, 'it rests after the first look');
  return { jobs, looks: () => looks };
}

test('a job of another replica is begun at its time, by a replica that rested and does not look by itself', async (t) => {
  const { mongo } = await linkedParts(t);
  const { mongoUrl, natsUrl } = await testInfra();
  const jobs = Array.from({ length: queues }, (_, index) => mongo.db.collection<TimedJob>(queueName(index)));
  for (const collection of jobs) await noteReads(new Set(), () => collection.findOne({}));
  const args = ['contacts', testNamespace, mongo.db.databaseName, String(queues), mongoUrl, natsUrl];
  const replica = spawn(process.execPath, [join(import.meta.dirname, '../test/resting-replica.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    replica.kill();
    if (replica.exitCode === null && replica.signalCode === null) await once(replica, 'exit');
  });
  await once(replica.stdout, 'data');
  // By then a runner that polls would have looked four times.
  await pause(4_000);
  for (const collection of jobs) {
    const laterMs = Math.random() < 0.5 ? 0 : 1_500;
    await collection.insertOne({ _id: 0, due_at: new Date(Date.now() + laterMs) });
    await pause(20);
  }
  const done = await eventually(async () => {
    const rows = await Promise.all(jobs.map((collection) => collection.findOne({ done_at: { $exists: true } })));
    const seen = rows.flatMap((row) =>
      row?.done_at ? [{ lateMs: row.done_at.getTime() - row.due_at.getTime(), looks: row.looks ?? 0 }] : [],
    );
    return seen.length === queues && seen;
  });
  t.diagnostic(`late by at most ${Math.max(...done.map(({ lateMs }) => lateMs))} ms`);
  for (const { looks } of done) assert.ok(looks <= 4, `looked ${looks} times`);
});

test('a runner rests until what it reads is changed, not when a claim finds nothing', async (t) => {
  const parts = await linkedParts(t);
  const { jobs, looks } = await restingRunner(t, parts);
  await parts.mongo.db.collection<{ _id: number }>('others').insertOne({ _id: 1 });
  await jobs.updateOne({ _id: 99 }, { $set: { free: true } });
  await jobs.updateOne({ _id: 0 }, { $unset: { free: '' } });
  await pause(300);
  assert.equal(looks(), 1, 'nothing has changed');
  await jobs.insertOne({ _id: 1, free: true });
  await eventually(async () => looks() > 1);
});

test('a transaction wakes a runner once it is committed', async (t) => {
  const parts = await linkedParts(t);
  const { jobs, looks } = await restingRunner(t, parts);
  await assert.rejects(
    parts.mongo.transaction({ correlationId: 'a', causationId: null }, async ({ session }) => {
      await jobs.insertOne({ _id: 1, free: true }, { session });
      throw new Error('aborted');
    }),
  );
  await pause(300);
  assert.equal(looks(), 1, 'an aborted one does not');
  await parts.mongo.transaction({ correlationId: 'b', causationId: null }, async ({ session }) => {
    await jobs.insertOne({ _id: 1, free: true }, { session });
    await pause(300);
    assert.equal(looks(), 1, 'nor does one in progress');
  });
  await eventually(async () => looks() > 1);
  await eventually(async () => (await jobs.findOne({ _id: 1 }))?.free === false);
});

test('a message that nobody can read changes nothing, and the next one still arrives', async (t) => {
  const { mongo, broker } = await linkedParts(t);
  const { connection } = await broker.connected();
  const subject = broker.subjectOf(wakeSubject('contacts'));
  const written = Promise.withResolvers<void>();
  await noteReads(new Set(), () => mongo.db.collection('jobs').findOne({}));
  t.after(onWritten((namespace, isOurs) => !isOurs && namespace === `${mongo.db.databaseName}.jobs` && written.resolve()));
  for (const text of ['', '{', '[]', '{"from": 1}', JSON.stringify({ from: 'another', written: ['jobs'] })])
    connection.publish(subject, text);
  await written.promise;
  assert.deepEqual([broker.ready(), areAllLinked(new Set([`${mongo.db.databaseName}.jobs`]))], [true, true]);
});

test('a runner polls while NATS is unavailable', async (t) => {
  const parts = await testParts(t, 'contacts');
  let looks = 0;
  const runner = createRunner({
    ...{ logger: parts.logger, warning: 'it waits', lookEveryMs: 50 },
    async work() {
      looks += 1;
      await parts.mongo.db.collection('jobs').findOne({});
      return false;
    },
  });
  runner.start();
  t.after(runner.stop);
  await eventually(async () => looks > 5);
});
