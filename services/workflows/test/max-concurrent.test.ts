import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { liveService } from './live-service.ts';
import { assertRecount } from './recount.ts';
import { config, knownContacts } from './setting.ts';

const hourMs = 60 * 60 * 1_000;
const anHour = { steps: [{ id: 'wait', type: 'delay', for: 'PT1H' }], max_concurrent: 2 };

test('a workflow with max_concurrent', async (t) => {
  const { account, clock, contact, create, ended, logEvents, parts, pass, play, read, trigger } = await liveService(t);
  const runs = parts.mongo.db.collection<{ _id: string; workflow_id: string; capacity?: string; state: string }>('runs');
  const open = (workflow_id: string) => runs.countDocuments({ workflow_id, capacity: 'used' });
  const awaits = async (runId: string) => (await read(runId)).waiting_for === 'capacity';
  const sleeps = (runId: string) => eventually(async () => (await read(runId)).waiting_for === 'time');

  await t.test('has at most that many runs open; further ones wait before their first step, and follow in their order', async () => {
    const { id } = await create(anHour);
    const [first, second] = [await trigger(id, await contact()), await trigger(id, await contact())];
    await sleeps(first);
    await sleeps(second);
    const [third, fourth] = [await trigger(id, await contact()), await trigger(id, await contact())];
    assert.deepEqual([await awaits(third), await awaits(fourth)], [true, true]);
    const { log } = await read(third);
    assert.equal(log.at(-1).text, 'wait: Waiting until fewer than 2 runs are open.');

    await account.post(`/v2/workflows/runs/${first}/cancel`, {});
    await sleeps(third);
    assert.equal(await awaits(fourth), true);
    pass(hourMs);
    assert.deepEqual(logEvents(await ended(second)), ['run started', 'wait waiting', 'wait waiting', 'wait done', 'run ended']);
    await sleeps(fourth);
    pass(hourMs);
    await ended(fourth);
    assert.equal(await open(id), 0);
  });

  await t.test(
    'never has more open, even with two services and contacts that all enter at once, and each of them gets its turn',
    async (t) => {
      const replica = await testParts(t, 'workflows', { database: parts.mongo.db.databaseName });
      await testService(t, replica, (own) => buildApp(own, { ...config, clock }), { live: true });
      const { id } = await create({ steps: [{ id: 'tag', type: 'add_tag', tag: 'x' }], max_concurrent: 3 });
      const ids = await knownContacts(parts, account.accountId, 12);
      await account.post(`/v2/workflows/${id}/trigger`, { contacts: ids.map((contact_id) => ({ contact_id })) });
      let most = 0;
      await eventually(async () => {
        most = Math.max(most, await open(id));
        return (await runs.countDocuments({ workflow_id: id, state: 'completed' })) === 12;
      });
      assert.ok(most >= 1 && most <= 3, `${most} runs were open`);
      assert.equal(await assertRecount(parts, account.accountId, id), 12);
    },
  );

  await t.test('admits every waiting run after the limit is removed, and none while it is paused', async () => {
    const { id } = await create({ ...anHour, max_concurrent: 1 });
    const [one, other] = [await trigger(id, await contact()), await trigger(id, await contact())];
    await sleeps(one);
    await account.post(`/v2/workflows/${id}/pause`, {});
    await account.post(`/v2/workflows/runs/${one}/cancel`, {});
    assert.equal(await awaits(other), true);
    await account.post(`/v2/workflows/${id}/activate`, {});
    await sleeps(other);
    const third = await trigger(id, await contact());
    assert.equal(await awaits(third), true);
    await account.put(`/v2/workflows/${id}`, { max_concurrent: null });
    await sleeps(third);
  });

  await t.test('ends a waiting run that meets an exit condition, or whose workflow is archived', async () => {
    const { id } = await create({
      ...anHour,
      max_concurrent: 1,
      exit_when: [{ type: 'segment_entered', segment_id: `segment_${'1'.repeat(26)}` }],
    });
    await trigger(id, await contact());
    const leaving = await contact();
    const [left, archived] = [await trigger(id, leaving), await trigger(id, await contact())];
    await play.enterSegment(account.accountId, `segment_${'1'.repeat(26)}`, leaving);
    assert.equal((await ended(left)).reason, 'exit_condition');
    await account.post(`/v2/workflows/${id}/archive`, {});
    assert.equal((await ended(archived)).reason, 'workflow_archived');
  });

  await t.test('ends a waiting run that started while the workflow was archived', async () => {
    const { id } = await create({ ...anHour, max_concurrent: 1 });
    await trigger(id, await contact());
    const late = await trigger(id, await contact());
    // As if archiving had looked for open runs before this one was committed.
    await parts.mongo.db.collection<{ _id: string }>('workflows').updateOne({ _id: id }, { $set: { status: 'archived' } });
    assert.equal((await ended(late)).reason, 'workflow_archived');
  });

  await t.test('is simulated: of several contacts, the later ones wait', async () => {
    const { id } = await create({ ...anHour, max_concurrent: 1 });
    const contact_ids = [await contact(), await contact(), await contact()];
    for (const id of contact_ids) play.contacts.set(id, { id, email: `${id}@example.com` });
    const { data } = await account.post(`/v2/workflows/${id}/simulate`, { contact_ids, from: '2026-03-02T08:00:00Z', advance: 'PT2H' });
    assert.deepEqual(
      data.contacts.map(({ state, ended_at }: { state: string; ended_at: string | null }) => [state, ended_at?.slice(11, 16)]),
      [
        ['completed', '09:00'],
        ['completed', '10:00'],
        ['waiting', undefined],
      ],
    );
  });

  await t.test('names the field of a limit that is not a number from 1 to 10,000', async () => {
    for (const max_concurrent of [0, 10_001, 1.5, '3']) {
      const { status, error } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...anHour, max_concurrent });
      assert.deepEqual([status, error.details[0].path], [400, '/max_concurrent']);
    }
  });
});
