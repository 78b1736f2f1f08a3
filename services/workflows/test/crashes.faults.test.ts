import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../src/app.ts';
import { killableProcesses } from './killable-processes.ts';
import { assertRecount } from './recount.ts';
import { config, fakeServices, knownContact, mail } from './setting.ts';

const seed = Number(process.env.SEED ?? 20_261_121);
const kills = Number(process.env.KILLS ?? 100);
/** At this interval of kills, an engine is frozen instead, for longer than its leases, and resumed after others have taken its runs. */
const freezeEvery = 5;
const frozenMs = 2_500;
const runCount = 120;

/** Mulberry32: the same seed kills at the same intervals. */
function chances(state: number) {
  let s = state;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let x = Math.imul(s ^ (s >>> 15), 1 | s);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test(`every run ends with each step done under one key while two engines are killed or frozen ${kills} times (SEED=${seed})`, async (t) => {
  const play = await fakeServices(t);
  play.rule = () => ({ known: true, matches: true });
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true }));
  const account = testClient(app, { permission: 'admin' });

  const hooks = new Map<string, Set<string>>();
  const receiver = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const [runId = ''] = id.split(':');
    hooks.set(runId, (hooks.get(runId) ?? new Set()).add(id));
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => receiver.closeAllConnections());
  t.after(() => receiver.close());
  const address = receiver.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const { alive, start, kill } = await killableProcesses(t, parts);

  const { data: workflow } = await account.post('/v2/workflows', {
    name: 'Crash',
    trigger: { type: 'manual' },
    steps: [
      { id: 'first', type: 'add_tag', tag: 'first', next: 'wait' },
      { id: 'wait', type: 'delay', for: 'PT1S', next: 'which' },
      { id: 'which', type: 'branch', branches: [{ when: { field: 'tags', op: 'exists' }, to: 'second' }] },
      { id: 'second', type: 'add_tag', tag: 'second', next: 'hook' },
      { id: 'hook', type: 'webhook', url: `http://127.0.0.1:${port}/`, next: 'hi' },
      { id: 'hi', ...mail, next: 'rest' },
      { id: 'rest', type: 'delay', for: 'PT1S', next: 'last' },
      { id: 'last', type: 'add_tag', tag: 'last' },
    ],
  });
  const begin = async (count: number) => {
    const contacts = [];
    for (let index = 0; index < count; index += 1) contacts.push({ contact_id: await knownContact(parts, account.accountId) });
    const response = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts });
    assert.equal(response.status, 202, response.text);
  };

  const chance = chances(seed);
  await Promise.all([start(), start()]);
  for (let index = 0; index < kills; index += 1) {
    if (index % 10 === 0) await begin(Math.ceil((runCount * 10) / Math.max(kills, 10)));
    await sleep(chance() * 300);
    const victim = alive[Math.floor(chance() * alive.length)];
    if (!victim) continue;
    if (index % freezeEvery === 0) {
      victim.kill('SIGSTOP');
      await sleep(frozenMs);
      victim.kill('SIGCONT');
    } else {
      await kill(victim);
      await start();
    }
    await assertRecount(parts, account.accountId, workflow.id);
  }

  type Row = { _id: string; state: string; sequence: number };
  const runs = parts.mongo.db.collection<Row>('runs');
  await eventually(async () => (await runs.countDocuments({ state: { $ne: 'completed' } })) === 0).catch(async (error) => {
    throw new Error(
      JSON.stringify(
        await runs
          .find({ state: { $ne: 'completed' } })
          .limit(3)
          .toArray(),
      ),
      { cause: error },
    );
  });
  await eventually(async () => (await parts.outbox.pendingCount()) === 0);

  assert.equal(await assertRecount(parts, account.accountId, workflow.id), await runs.countDocuments());
  const rows = await runs.find().toArray();
  const ended = await writtenEvents(parts.mongo.db, { subject: 'workflows.run.ended.v1' });
  assert.equal(ended.length, rows.length, 'each end is published once');
  for (const { _id, sequence } of rows) {
    const keys = new Set(play.requests.filter((key) => key.startsWith(`${_id}:`)));
    assert.equal(keys.size, 4, `${_id} requested effects with the keys ${[...keys].join()}`);
    assert.equal(hooks.get(_id)?.size, 1, 'a webhook that is called again has the same id');
    const moves = await parts.mongo.db.collection('run_steps').find({ run_id: _id }).sort({ sequence: 1 }).toArray();
    assert.deepEqual(
      moves.map((move) => move.sequence),
      Array.from({ length: sequence }, (_, index) => index + 1),
      'the log has every change, the first of which is that of the start',
    );
  }
});
