import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { claimable, claimed, heldBy, type Leased, noLease, oldestFirst, released, renewed } from './job-lease.ts';
import { createNamedLeases } from './named-leases.ts';

type Job = Leased & { _id: string };

test('a job is leased to one process at a time', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  const jobs = mongo.db.collection<Job>('jobs');
  const begun = Date.parse('2026-05-01T10:00:00Z');
  const at = (seconds: number) => new Date(begun + seconds * 1_000);
  await jobs.insertMany([
    { _id: 'late', status: 'queued', ...noLease(at(1)) },
    { _id: 'early', status: 'queued', ...noLease(at(0)) },
    { _id: 'over', status: 'completed', ...noLease(at(0)) },
  ]);

  async function claim(now: Date) {
    const $set = claimed(now);
    const row = await jobs.findOneAndUpdate(claimable(now), { $set }, { sort: oldestFirst, returnDocument: 'after' });
    return row && { id: row._id, lease: $set.lease, attempts: row.attempts };
  }
  const goOn = async (job: { id: string; lease: string }, now: Date) =>
    (await jobs.updateOne(heldBy(job), { $set: renewed(now) })).matchedCount === 1;

  const [one, other, none] = [await claim(at(2)), await claim(at(2)), await claim(at(2))];
  assert.ok(one && other);
  assert.deepEqual([one.id, other.id, none], ['early', 'late', null], 'longest waiting first, each once, without finished ones');

  assert.ok(await goOn(one, at(10)));
  const taken = await claim(at(20));
  assert.ok(taken && taken.id === 'late', 'a process without progress for 15 seconds has lost the lease');
  assert.equal(await goOn(other, at(21)), false);
  await jobs.updateOne(heldBy(other), released(0, at(21)));
  assert.equal(await claim(at(21)), null, 'a process cannot release a lease it has lost');

  await jobs.updateOne(heldBy(taken), released(5_000, at(22)));
  assert.equal(await claim(at(23)), null, 'a failed job is delayed');
  const again = await claim(at(28));
  assert.deepEqual([again?.id, again?.attempts], ['early', 0], 'the lease of the other has expired, and it has waited longer');
  assert.deepEqual((await claim(at(28)))?.attempts, 1);
});

test('a named lease has one owner at a time, until it is released or expires', async (t) => {
  const { mongo } = await testParts(t, 'kit');
  const [one, other] = [createNamedLeases(mongo.db, 'leases'), createNamedLeases(mongo.db, 'leases')];
  assert.deepEqual([await one.take('a', 60_000), await other.take('a', 60_000), await other.take('b', 60_000)], [true, false, true]);
  await other.release('a');
  assert.deepEqual([await one.take('a', 60_000), await other.take('a', 60_000)], [true, false], 'the owner renews it');
  await one.release('a');
  assert.equal(await other.take('a', 0), true);
  await eventually(() => one.take('a', 0));
});
