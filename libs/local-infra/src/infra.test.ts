import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { folderFor } from '../test/folder.ts';
import { processesOf, startHolder, stateOf, untilGone } from '../test/own-infra.ts';
import { acquireInfra } from './infra.ts';
import { mongodb } from './mongodb.ts';
import { nats } from './nats.ts';

test('concurrent acquires share one infrastructure, which stops when the last one releases it', async (t) => {
  const dir = folderFor(t);
  const [first, other] = await Promise.all([acquireInfra({ dir }), startHolder(dir)]);
  t.after(() => other.holder.kill('SIGKILL'));

  assert.deepEqual(other.urls, { mongoUrl: first.mongoUrl, natsUrl: first.natsUrl });
  assert.deepEqual(await insertInTransaction(first.mongoUrl), 1);
  assert.equal(await storesMessages(first.natsUrl), 'file');

  const processes = processesOf(dir);
  assert.equal(processes.length, 3);
  other.holder.kill('SIGKILL');
  await first.release();
  await untilGone(processes);
});

test('a server whose port was taken is not mistaken for the server that took it', async (t) => {
  const dir = folderFor(t);
  const { release, mongoUrl, natsUrl } = await acquireInfra({ dir });
  const portOf = (url: string) => Number(new URL(url).port);
  await mongodb.prepare(portOf(mongoUrl), join(dir, 'mongodb'));
  await nats.prepare(portOf(natsUrl), join(dir, 'nats'));
  await assert.rejects(mongodb.prepare(portOf(mongoUrl), folderFor(t)), /belongs to another mongod/);
  await assert.rejects(nats.prepare(portOf(natsUrl), folderFor(t)), /belongs to another nats-server/);
  const processes = processesOf(dir);
  await release();
  await untilGone(processes);
});

test('secrets are created once and readable by their owner only', async (t) => {
  const dir = folderFor(t);
  const first = await acquireInfra({ dir });
  const again = await acquireInfra({ dir });
  assert.deepEqual(again.env, first.env);
  assert.match(first.env.CONTEXT_KEYS ?? '', /^[0-9a-f]{8}:[\w-]{43}$/);
  assert.equal(statSync(join(dir, 'secrets.json')).mode & 0o777, 0o600);

  const processes = processesOf(dir);
  await Promise.all([first.release(), again.release()]);
  await untilGone(processes);
});

test('uses the servers in MONGODB_URL and NATS_URL and starts none', async (t) => {
  const dir = folderFor(t);
  const running = await acquireInfra({ dir });
  const processes = processesOf(dir);
  process.env.MONGODB_URL = running.mongoUrl;
  process.env.NATS_URL = running.natsUrl;
  t.after(() => {
    delete process.env.MONGODB_URL;
    delete process.env.NATS_URL;
  });
  const elsewhere = folderFor(t);
  const given = await acquireInfra({ dir: elsewhere });
  assert.equal(given.mongoUrl, running.mongoUrl);
  assert.throws(() => stateOf(elsewhere), /no keeper/);

  process.env.NATS_URL = 'nats://127.0.0.1:1';
  await assert.rejects(acquireInfra({ dir: elsewhere }), /NATS_URL cannot be used/);
  await Promise.all([running.release(), given.release()]);
  await untilGone(processes);
});

async function insertInTransaction(url: string): Promise<number> {
  const client = new MongoClient(url);
  try {
    const things = client.db('test_infra').collection('things');
    await client.db('test_infra').createCollection('things');
    await client.withSession((session) => session.withTransaction(() => things.insertOne({}, { session })));
    return await things.countDocuments();
  } finally {
    await client.close();
  }
}

async function storesMessages(url: string): Promise<string> {
  const connection = await connect({ servers: url });
  try {
    const stream = JSON.stringify({ name: 'THINGS', subjects: ['things.>'] });
    const response = await connection.request('$JS.API.STREAM.CREATE.THINGS', stream, { timeout: 60_000 });
    return response.json<{ config: { storage: string } }>().config.storage;
  } finally {
    await connection.close();
  }
}
