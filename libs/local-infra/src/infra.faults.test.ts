import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { MongoClient } from 'mongodb';
import { folderFor } from '../test/folder.ts';
import { processesOf, startHolder, stateOf, until, untilGone } from '../test/own-infra.ts';
import { acquireInfra } from './infra.ts';
import { isAlive, type ProcessMark } from './process-mark.ts';

test('after a holder is killed with -9, the servers stop', async (t) => {
  const dir = folderFor(t);
  const { holder } = await startHolder(dir);
  const processes = processesOf(dir);
  holder.kill('SIGKILL');
  await untilGone(processes);
});

test('data and ports are the same after a restart', async (t) => {
  const dir = folderFor(t);
  const first = await acquireInfra({ dir });
  await write(first.mongoUrl, 'kept');
  const processes = processesOf(dir);
  await first.release();
  await untilGone(processes);

  const second = await acquireInfra({ dir });
  assert.deepEqual(second.env, first.env);
  assert.deepEqual(await read(second.mongoUrl), ['kept']);
  await end(dir, second);
});

test('everything killed with -9 at once starts again with its data', async (t) => {
  const dir = folderFor(t);
  const { mongoUrl, release } = await acquireInfra({ dir });
  await write(mongoUrl, 'journaled');
  const processes = processesOf(dir);
  for (const mark of processes) process.kill(mark.pid, 'SIGKILL');
  await untilGone(processes);
  await release();

  const again = await acquireInfra({ dir });
  assert.deepEqual(await read(again.mongoUrl), ['journaled']);
  await end(dir, again);
});

test('a server that crashes while it is held restarts on its port', async (t) => {
  const dir = folderFor(t);
  const infra = await acquireInfra({ dir });
  await write(infra.mongoUrl, 'before');
  const victim = serverOf(dir, 'mongodb');
  process.kill(victim.pid, 'SIGKILL');
  await until(() => serverOf(dir, 'mongodb').pid !== victim.pid && stateOf(dir).servers.mongodb?.ready === true, 'a new mongod');
  assert.deepEqual(await read(infra.mongoUrl), ['before']);
  await end(dir, infra);
});

test('when the keeper is killed with -9, the next acquire takes over its servers without a pause', async (t) => {
  const dir = folderFor(t);
  const first = await acquireInfra({ dir });
  const { keeper } = stateOf(dir);
  const mongod = serverOf(dir, 'mongodb');
  process.kill(keeper.pid, 'SIGKILL');
  await untilGone([keeper]);

  const second = await acquireInfra({ dir });
  assert.deepEqual(second.env, first.env);
  assert.deepEqual(serverOf(dir, 'mongodb'), mongod);
  await first.release();
  await end(dir, second);
});

test('servers left by a killed keeper stop when their new keeper is released', async (t) => {
  const dir = folderFor(t);
  const { holder } = await startHolder(dir);
  const [keeper, ...servers] = processesOf(dir);
  assert.ok(keeper);
  process.kill(keeper.pid, 'SIGKILL');
  holder.kill('SIGKILL');
  await untilGone([keeper]);
  assert.ok(servers.every(isAlive));

  const next = await acquireInfra({ dir });
  await end(dir, next);
  await untilGone(servers);
});

test('an acquire during a stop waits and gets a new infrastructure', async (t) => {
  const dir = folderFor(t);
  const first = await acquireInfra({ dir });
  const stopping = processesOf(dir);
  await first.release();
  process.kill(serverOf(dir, 'mongodb').pid, 'SIGSTOP');
  await until(() => !isAlive(serverOf(dir, 'nats')), 'nats-server to stop');

  const waiting = acquireInfra({ dir });
  process.kill(serverOf(dir, 'mongodb').pid, 'SIGCONT');
  const second = await waiting;
  await untilGone(stopping);
  await write(second.mongoUrl, 'new');
  await end(dir, second);
});

test('reports why a server cannot start', async (t) => {
  const dir = folderFor(t);
  const other = await acquireInfra({ dir: join(dir, 'other') });
  process.env.INFRA_MONGODB_PORT = new URL(other.mongoUrl).port;
  t.after(() => delete process.env.INFRA_MONGODB_PORT);
  await assert.rejects(acquireInfra({ dir: join(dir, 'this') }), /Cannot start mongod: port \d+ from INFRA_MONGODB_PORT is in use/);
  await untilGone(processesOf(join(dir, 'this')));
  await end(join(dir, 'other'), other);
});

function serverOf(dir: string, name: 'mongodb' | 'nats'): ProcessMark {
  return stateOf(dir).servers[name]?.process ?? { pid: 0, started: '' };
}

async function end(dir: string, infra: { release(): Promise<void> }): Promise<void> {
  const processes = processesOf(dir);
  await infra.release();
  await untilGone(processes);
}

const write = (url: string, _id: string) =>
  withThings(url, (things) => things.insertOne({ _id }, { writeConcern: { w: 'majority', journal: true } }));

const read = (url: string) => withThings(url, async (things) => (await things.find().toArray()).map(({ _id }) => _id));

async function withThings<T>(url: string, work: (things: ReturnType<typeof thingsOf>) => Promise<T>): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(thingsOf(client));
  } finally {
    await client.close();
  }
}

const thingsOf = (client: MongoClient) => client.db('test_infra').collection<{ _id: string }>('things');
