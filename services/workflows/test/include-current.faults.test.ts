import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { killableProcesses } from './killable-processes.ts';
import { config, fakeServices } from './setting.ts';

const kills = Number(process.env.KILLS ?? 15);

test(`every member starts once while the processes that enroll are killed ${kills} times and contacts enter and leave`, async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config));
  const account = testClient(app, { permission: 'admin' });
  const { alive, start, kill } = await killableProcesses(t, parts);

  const segment_id = newId('segment');
  const members = Array.from({ length: 5_000 }, () => newId('contact'));
  play.members.set(segment_id, members);
  const { data: workflow } = await account.post('/v2/workflows', {
    name: 'W',
    status: 'draft',
    trigger: { type: 'segment_entered', segment_id },
    entry: { policy: 'every_time' },
    steps: [{ id: 'end', type: 'exit' }],
  });
  await account.post(`/v2/workflows/${workflow.id}/activate`, { include_current: true });
  const runs = parts.mongo.db.collection('runs');
  const started = () => runs.countDocuments({ workflow_id: workflow.id });
  await Promise.all([start(), start()]);
  const entering: string[] = [];
  for (let index = 0; index < kills; index += 1) {
    const before = await started();
    const contactId = newId('contact');
    entering.push(contactId);
    play.enteredAt.set(`${segment_id} ${contactId}`, new Date().toISOString());
    // Half of those that enter appear among the members that are read; the others have left by then.
    if (index % 2 === 0) play.members.set(segment_id, [...(play.members.get(segment_id) ?? []), contactId]);
    await play.enterSegment(account.accountId, segment_id, contactId);
    await eventually(async () => (await started()) > before);
    const [victim] = alive;
    if (victim) await kill(victim);
    await start();
  }
  await eventually(async () => (await account.get(`/v2/workflows/${workflow.id}`)).data.enrollment.status === 'completed');
  await eventually(async () => (await started()) === members.length + entering.length);
  const contactIds = (await runs.find({ workflow_id: workflow.id }).project({ contact_id: 1 }).toArray()).map(
    ({ contact_id }) => contact_id,
  );
  assert.deepEqual(contactIds.sort(), [...members, ...entering].sort());
});
