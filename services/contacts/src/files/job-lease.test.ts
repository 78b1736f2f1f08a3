import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testParts } from '@mp/test-kit/parts';
import { claimable, claimed, heldBy, type Leased, noLease, oldestFirst, released, renewed } from './job-lease.ts';

type Job = Leased & { _id: string };

test('a job is leased to one process at a time', async (t) => {
  const { mongo } = await testParts(t, 'contacts');
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
    const row = await jobs.findOneAndUpdate(claimable(now, noneSuspended), { $set }, { sort: oldestFirst, returnDocument: 'after' });
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
