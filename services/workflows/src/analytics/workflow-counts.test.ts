import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactErased } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId, type WorkflowId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import fc from 'fast-check';
import { arbitraryDefinition, someTemplate } from '../../test/arbitraries.ts';
import { liveService } from '../../test/live-service.ts';
import { assertRecount } from '../../test/recount.ts';
import { sleeper } from '../../test/setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;

test('counts of a workflow', async (t) => {
  const { account, app, clock, contact, create, ended, parts, pass, play, trigger } = await liveService(t);
  const recounts = (workflowId: WorkflowId) => assertRecount(parts, account.accountId, workflowId);
  const analytics = async (workflowId: string) => (await account.get(`/v2/workflows/${workflowId}/analytics`)).data;
  const stepsOf = async (workflowId: string) => {
    const { steps } = await analytics(workflowId);
    return Object.fromEntries(steps.map((step: { step_id: string }) => [step.step_id, step]));
  };

  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'workflows:read',
    url: async (client) => `/v2/workflows/${(await client.post('/v2/workflows', sleeper)).data.id}/analytics/series`,
  });

  await t.test('equal a recount at every moment while random workflows run, with refused effects and users who act on runs', async () => {
    play.templates.set(someTemplate, { subject: 'Hi', preview_text: null, html: '<p>Hi</p>', text: null });
    play.outcome = ({ effect_key }) =>
      effect_key.charCodeAt(10) % 4 === 0 ? { status: 'refused', reason: 'no_consent' } : { status: 'done' };
    const definitions = fc.sample(arbitraryDefinition({ loops: false }), { numRuns: 100, seed: 5 });
    const more = definitions.filter(({ steps }) => steps.length > 3 && steps.every(({ type }) => type !== 'webhook')).slice(0, 6);
    for (const [index, definition] of more.entries()) {
      const workflow = await create({ ...definition, entry: { policy: 'every_time' } });
      const runIds = [];
      for (let run = 0; run < 4; run += 1) runIds.push(await trigger(workflow.id, await contact()));
      const contacts = [{ contact_id: await contact() }, { contact_id: await contact() }];
      await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts });
      await recounts(workflow.id);
      await account.post(`/v2/workflows/runs/${runIds[0]}/cancel`);
      await account.post(`/v2/workflows/runs/${runIds[1]}/skip`);
      if (index % 2 === 0) await account.post(`/v2/workflows/${workflow.id}/pause`);
      await recounts(workflow.id);
      await account.post(`/v2/workflows/${workflow.id}/activate`);
      const { data } = await account.get(`/v2/workflows/${workflow.id}/runs`);
      const read = ({ id }: { id: string }) => account.get(`/v2/workflows/runs/${id}`).then(({ data }) => data);
      for (let turns = 0; ; turns += 1) {
        await recounts(workflow.id);
        const open = (await Promise.all(data.items.map(read))).filter(({ ended_at }) => ended_at === null);
        if (open.length === 0) break;
        // Runs that wait for capacity move when another one ends.
        const run = open.find(({ waiting_for }) => waiting_for !== 'capacity') ?? open.at(-1);
        assert.ok(turns < 600, JSON.stringify(run));
        if (run.waiting_for === 'time' || run.waiting_for === 'event') pass(Math.max(0, Date.parse(run.wake_at) - clock().getTime()));
        await eventually(async () => (await Promise.all(open.map(read))).some(({ sequence }, index) => sequence > open[index].sequence));
      }
      assert.equal(await recounts(workflow.id), 6);
    }
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('say what followed a step, how often, and how long runs stayed', async () => {
    const workflow = await create(sleeper);
    const ids = [await contact(), await contact(), await contact()];
    const runs = [];
    for (const id of ids) runs.push(await trigger(workflow.id, id));
    await account.post(`/v2/workflows/runs/${runs[0]}/cancel`);
    pass(dayMs);
    for (const run of runs) await ended(run);
    const { wait, tag } = await stepsOf(workflow.id);
    assert.deepEqual(
      [wait.entered, wait.done, wait.exited, wait.waiting, wait.next],
      [3, 2, 1, 0, [{ step_id: 'tag', count: 2, rate: 2 / 3 }]],
    );
    assert.ok(Math.abs(wait.seconds_in_step.p50 - 86_400) < 8_640, `${wait.seconds_in_step.p50}`);
    assert.deepEqual([tag.entered, tag.next], [2, [{ step_id: null, count: 2, rate: 1 }]]);

    const series = async (query: string) => (await account.get(`/v2/workflows/${workflow.id}/analytics/series${query}`)).data.items;
    const total = (items: { entered: number; completed: number; steps: { entered: number }[] }[]) => [
      items.reduce((sum, { entered }) => sum + entered, 0),
      items.reduce((sum, { completed }) => sum + completed, 0),
      items.reduce((sum, { steps }) => sum + steps.reduce((all, { entered }) => all + entered, 0), 0),
    ];
    assert.deepEqual(total(await series('')), [3, 2, 5]);
    assert.deepEqual(total(await series('?step_id=wait')), [3, 2, 3]);
    const hours = await series('?interval=hour');
    assert.equal(hours.length, 24);
    const tooLong = await account.get(`/v2/workflows/${workflow.id}/analytics/series?interval=hour&from=2026-01-01&to=2026-01-31`);
    assert.deepEqual([tooLong.status, tooLong.error?.details[0].path], [400, '/query/from']);
  });

  await t.test('say how long runs took to reach each goal, from the event that started them to the one that was the goal', async () => {
    const goal = (id: string, name: string, next?: string) => ({ id, type: 'goal', any: [{ type: 'event', name }], within: 'P30D', next });
    const trigger = { type: 'event', name: 'signed_up' };
    const workflow = await create({ trigger, steps: [goal('order', 'order_placed', 'call'), goal('call', 'called')] });
    const start = clock();
    const track = (contact_id: string, event: string, time: Date) =>
      play.publish(EventTracked, account.accountId, {
        ...{
          event_id: newId('activity'),
          event,
          visitor_id: null,
          contact_id,
          time: time.toISOString(),
          properties: {},
          value: null,
          bot: false,
        },
      });
    const runs = async () => (await account.get(`/v2/workflows/${workflow.id}/runs?limit=100`)).data.items;
    const minutes = Array.from({ length: 20 }, (_, index) => (index + 1) ** 3);
    const ids = minutes.map(() => newId('contact'));
    assert.deepEqual((await analytics(workflow.id)).seconds_to_goal, null);
    for (const id of ids) await track(id, 'signed_up', start);
    await eventually(async () => (await runs()).length === ids.length);
    pass(10 * dayMs);
    for (const [index, id] of ids.entries()) {
      const at = new Date(start.getTime() + (minutes[index] ?? 0) * 60_000);
      await track(id, index % 4 === 0 ? 'called' : 'order_placed', at);
    }
    await eventually(async () => (await runs()).every(({ state }: { state: string }) => state === 'converted'));
    assert.equal(await recounts(workflow.id), 20);

    const { seconds_to_goal, counts, steps } = await analytics(workflow.id);
    const near = (kept: number, exact: number) => assert.ok(Math.abs(kept - exact) <= exact / 10, `${kept} is not near ${exact}`);
    near(seconds_to_goal.p50, 1_000 * 60);
    near(seconds_to_goal.p75, 3_375 * 60);
    near(seconds_to_goal.p90, 5_832 * 60);
    const [order, call] = steps;
    assert.deepEqual([counts.converted, order.converted, call.converted], [20, 15, 5]);
    near(order.seconds_to_goal.p50, 1_331 * 60);
    near(call.seconds_to_goal.p50, 729 * 60);

    const days = (await account.get(`/v2/workflows/${workflow.id}/analytics/series`)).data.items;
    const [day, ...others] = days.filter(({ converted }: { converted: number }) => converted > 0);
    assert.deepEqual([day.seconds_to_goal, others], [seconds_to_goal, []]);
    const ofCall = day.steps.find((step: { step_id: string }) => step.step_id === 'call');
    assert.deepEqual(ofCall.seconds_to_goal, call.seconds_to_goal);
    assert.equal(days[0].seconds_to_goal, null);

    await eventually(
      async () => (await parts.mongo.db.collection('run_steps').countDocuments({ workflow_id: workflow.id, uncounted: true })) === 0,
    );
    assert.deepEqual((await analytics(workflow.id)).seconds_to_goal, seconds_to_goal);
    const [erased = ''] = ids.slice(-1);
    await play.publish(ContactErased, account.accountId, { erasure_id: newId('erasure'), contact_id: erased, merged_ids: [], revision: 9 });
    await eventually(async () => (await analytics(workflow.id)).counts.entered === 19);
    assert.equal(await recounts(workflow.id), 19);
  });

  await t.test('lead to the people at a step, page by page', async () => {
    const workflow = await create(sleeper);
    for (let index = 0; index < 3; index += 1) await trigger(workflow.id, await contact());
    const there = async (step: string, cursor = '') =>
      (await account.get(`/v2/workflows/${workflow.id}/runs?state=waiting&step_id=${step}&limit=2${cursor}`)).data;
    const first = await there('wait');
    const second = await there('wait', `&cursor=${first.pagination.next_cursor}`);
    assert.equal(new Set([...first.items, ...second.items].map(({ contact_id }) => contact_id)).size, 3);
    assert.equal((await there('tag')).items.length, 0);
  });

  await t.test('no longer contain the runs of an erased contact, even after they were folded', async () => {
    const workflow = await create(sleeper);
    const [kept, erased] = [await contact(), await contact()];
    await trigger(workflow.id, kept);
    const run = await trigger(workflow.id, erased);
    const rows = parts.mongo.db.collection('run_steps');
    await eventually(async () => (await rows.countDocuments({ workflow_id: workflow.id, uncounted: true })) === 0);
    pass(dayMs);
    await ended(run);
    await play.publish(ContactErased, account.accountId, {
      ...{ erasure_id: newId('erasure'), contact_id: erased, merged_ids: [], revision: 9 },
    });
    await eventually(async () => (await analytics(workflow.id)).counts.entered === 1);
    assert.equal(await recounts(workflow.id), 1);
    await eventually(async () => (await rows.countDocuments({ workflow_id: workflow.id, uncounted: true })) === 0);
    assert.equal(await recounts(workflow.id), 1);
  });
});
