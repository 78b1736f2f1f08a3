import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt, newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createAccountPositions } from './account-positions.ts';

const epoch = 'first';
const appliedTo = (sequence: number, bulk: number) => ({ stream: 'CONTACTS', epoch, sequence, bulk });
const written = (time: string) => firstIdAt('event', new Date(`2026-11-27T${time}Z`));

test('the backlog of an account says up to when its events have been applied', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-27T10:40:00Z') });
  const positions = createAccountPositions(mongo.db);
  const [accountId, other] = [newId('account'), newId('account')];
  const bulk = (time: string, sequence: number) => ({ id: written(time), accountId, lane: 'bulk' as const, sequence });
  const publish = async (events: Parameters<typeof positions.record>[1]) => {
    await positions.record(epoch, events);
    t.mock.timers.tick(60_000);
  };

  await publish([bulk('10:40:00', 3), bulk('10:39:59', 2), { id: written('10:40:01'), accountId, lane: 'live', sequence: 5 }]);
  await publish([bulk('10:42:00', 9)]);
  await publish([bulk('10:43:00', 12), { id: written('10:43:00'), accountId: other, lane: 'live', sequence: 13 }]);

  assert.deepEqual(await positions.backlog(accountId, appliedTo(5, 2)), { until: null }, 'before its first time');
  assert.deepEqual(await positions.backlog(accountId, appliedTo(5, 11)), { until: new Date('2026-11-27T10:42:00Z') });
  assert.equal(await positions.backlog(accountId, appliedTo(5, 12)), undefined);
  assert.deepEqual(await positions.backlog(accountId, appliedTo(4, 12)), { until: null }, 'an event of the live lane waits');
  assert.equal(await positions.backlog(other, appliedTo(13, 2)), undefined, "another account's backlog is not its own");
  assert.equal(await positions.backlog(newId('account'), appliedTo(0, 0)), undefined);
});
