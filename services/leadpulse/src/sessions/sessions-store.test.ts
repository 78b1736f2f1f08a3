import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { levelOf } from '../rollups/sample.ts';
import { createSessionsStore } from './sessions-store.ts';

const dayMs = 86_400_000;
const idleMs = 30 * 60_000;

test('the sessions of some visitors are found without reading those of others', async (t) => {
  const { mongo } = await testParts(t, 'leadpulse');
  const { db } = mongo;
  const store = createSessionsStore(db);
  await store.prepare();
  const account_id = newId('account');
  const start = Date.parse('2026-03-01T00:00:00Z');
  const timeOf = (index: number) => new Date(start + Math.floor(index / 5) * dayMs);
  const visitors = Array.from({ length: 10_000 }, () => newId('visitor'));
  await db.collection<{ _id: string }>('sessions').insertMany(
    visitors.map((visitor, index) => {
      const at = timeOf(index);
      return { _id: newId('session'), account_id, visitor, sample: levelOf(visitor), started_at: at, ended_at: at };
    }),
  );
  const stretches = visitors.slice(-500).map((visitor, index) => {
    const at = timeOf(visitors.length - 500 + index);
    return { visitor, from: at, to: at };
  });

  await db.command({ profile: 2 });
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => store.around(tx, account_id, stretches, idleMs));
  await store.ofVisitors(account_id, visitors.slice(0, 5), { from: new Date(start), to: new Date(start + 10 * dayMs) });
  await db.command({ profile: 0 });
  const reads = await db
    .collection('system.profile')
    .find({ op: { $in: ['query', 'getmore'] }, ns: /\.sessions$/ })
    .toArray();
  const keys = reads.reduce((sum, { keysExamined }) => sum + keysExamined, 0);
  assert.ok(keys > 500 && keys < 5_000, `${keys} keys were read`);
});
