import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { startPlatform } from '../platform.ts';
import { exerciseOperations } from './exercise-operations.ts';
import { createFixtures, createRecorder, missingExamples } from './fixtures.ts';
import { createIdempotencyCheck } from './idempotency-check.ts';
import { createIfMatchCheck } from './if-match-check.ts';
import { exerciseOauth } from './talk-oauth.ts';

/** `npm run examples` records these requests as the examples of the OpenAPI document; this test repeats them. */
test('every operation works as in its example, and a repeated write has no second effect', async (t) => {
  const platform = await startPlatform(t);
  const contract = await platform.contract();
  const client = await platform.client('--permission', 'admin', '--account', 'example');
  const twins = createIdempotencyCheck(client);
  const tags = createIfMatchCheck(client, twins.call);
  const { recorded, record } = createRecorder(contract, client, tags.call);
  await exerciseOperations(record, await createFixtures(record));

  await t.test('every operation, success status and media type has an example', () => {
    const left = contract.operations.flatMap((operation) => missingExamples(operation, recorded.get(operation.id) ?? []));
    assert.deepEqual(left, [], 'exercise these in tests/documentation and run `npm run examples`');
  });

  await t.test('every operation that documents If-Match refuses a stale tag and then has changed nothing', () => {
    assert.deepEqual(tags.faults, []);
    const left = contract.operations.filter((operation) => tags.takesIfMatch(operation) && !tags.refused.has(operation.id));
    assert.deepEqual(
      left.map(({ id }) => id),
      [],
    );
    assert.ok(tags.refused.size > 50, `${tags.refused.size} operations`);
  });

  await t.test('of the same write sent twice concurrently and once more, one has an effect and all get its response', () => {
    assert.deepEqual(twins.faults, []);
    const writes = contract.operations.filter(twins.isWrite).map(({ id }) => id);
    assert.deepEqual(
      writes.filter((id) => !twins.writes.has(id)),
      [],
    );
    assert.ok(writes.length > 40, `${writes.length} writes`);
  });

  await t.test('every service keeps the responses for 24 hours', async () => {
    const kept = await twins.kept(platform);
    for (const [service, { claims, hours, ttl }] of Object.entries(kept)) {
      assert.ok(claims > 0, service);
      assert.ok(hours > 23.9 && hours <= 24, `${service}: ${hours} hours`);
      assert.equal(ttl, 0, `${service}: MongoDB deletes them when they expire`);
    }
  });

  await t.test('a service returns the same response after it was killed and restarted', async () => {
    await Promise.all(serviceNames.map((name) => platform.stop(name, 'SIGKILL')));
    await Promise.all(serviceNames.map((name) => platform.start(name)));
    assert.deepEqual(await twins.again(), []);
  });

  await t.test('the OAuth endpoints respond as documented', () => exerciseOauth(platform, client));
});
