import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../test/start-test-gateway.ts';

/** The operations that MongoDB's profiler recorded. */
type Profiled = { ns: string; op: string; command?: Record<string, unknown> };

test('a request with a cached key reads nothing from the database', async (t) => {
  // The clock does not advance, so no entry becomes stale and is refreshed in the background.
  const at = Date.now();
  const { parts, makeKey, call } = await startTestGateway(t, { now: () => at });
  const { db } = parts.mongo;
  const key = await makeKey({ permission: 'read_only' });
  const limited = await makeKey({ permission: 'read_only', plan: 'enterprise', daily_requests: 1_000_000 });
  for (const warming of [key, limited]) assert.equal((await call('/v2/contacts', { key: warming })).status, 200);

  await db.setProfilingLevel('all');
  for (let index = 0; index < 50; index += 1) {
    for (const warm of [key, limited]) assert.equal((await call('/v2/contacts', { key: warm })).status, 200);
  }
  await db.setProfilingLevel('off');
  const profiled = await db
    .collection<Profiled>('system.profile')
    .find({ ns: { $not: /system\.profile$/ } })
    .toArray();
  const reads = profiled.filter(({ op, command }) => op === 'query' || op === 'getmore' || (command !== undefined && 'find' in command));
  assert.deepEqual(
    reads.map(({ ns, command }) => [ns, command]),
    [],
  );

  // Proves that the profiler works: a key that is not cached is read.
  await db.setProfilingLevel('all');
  assert.equal((await call('/v2/contacts', { key: await makeKey() })).status, 200);
  await db.setProfilingLevel('off');
  const cold = await db.collection<Profiled>('system.profile').countDocuments({ ns: /\.api_keys$/, op: 'query' });
  assert.ok(cold > 0);
});
