import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames, startPlatform } from '../platform.ts';
import { useThings } from './exercise-operations.ts';
import { createTeller, makeThings, untold } from './fixtures.ts';
import { createTwins } from './idempotency-check.ts';
import { talkOauth } from './talk-oauth.ts';

/** The examples in the OpenAPI document are this story as it was recorded by `npm run examples`; here it is told again. */
test('every operation does what its example shows, and a write that is sent again does nothing twice', async (t) => {
  const platform = await startPlatform(t);
  const contract = await platform.contract();
  const client = await platform.client('--permission', 'admin', '--account', 'example');
  const twins = createTwins(client);
  const { told, tell } = createTeller(contract, client, twins.call);
  await useThings(tell, await makeThings(tell));

  await t.test('none is left out of the story, nor any status or media type of its own', () => {
    const left = contract.operations.flatMap((operation) => untold(operation, told.get(operation.id) ?? []));
    assert.deepEqual(left, [], 'tell of these in tests/documentation and run `npm run examples`');
  });

  await t.test('every write of every service was sent twice at once and again: one of them did it, and all got its answer', () => {
    assert.deepEqual(twins.faults, []);
    const writes = contract.operations.filter(twins.isWrite).map(({ id }) => id);
    assert.deepEqual(
      writes.filter((id) => !twins.writes.has(id)),
      [],
    );
    assert.ok(writes.length > 40, `${writes.length} writes`);
  });

  await t.test('the answers are kept for 24 hours by every service', async () => {
    const kept = await twins.kept(platform);
    for (const [service, { claims, hours, ttl }] of Object.entries(kept)) {
      assert.ok(claims > 0, service);
      assert.ok(hours > 23.9 && hours <= 24, `${service}: ${hours} hours`);
      assert.equal(ttl, 0, `${service}: MongoDB takes them away when they expire`);
    }
  });

  await t.test('a service that was killed gives the same answer after its restart', async () => {
    await Promise.all(serviceNames.map((name) => platform.stop(name, 'SIGKILL')));
    await Promise.all(serviceNames.map((name) => platform.start(name)));
    assert.deepEqual(await twins.again(), []);
  });

  await t.test('OAuth’s endpoints answer as the document says', () => talkOauth(platform, client));
});
