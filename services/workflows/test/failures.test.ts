import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { config, contactOf, fakeServices, knownContact, mail } from './setting.ts';

test('a faulty step', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const warnings: { name?: string; text: string }[] = [];
  parts.logger.warn = (named: object, text?: string) => warnings.push({ ...named, text: text ?? '' });
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const account = testClient(app);
  const create = async (body: object) => {
    const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...body });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const begin = async (workflowId: string) => {
    const response = await account.post(`/v2/workflows/${workflowId}/trigger`, {
      contact_id: await knownContact(parts, account.accountId),
    });
    return String(response.data.runs[0].run_id);
  };
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const ended = (runId: string) =>
    eventually(async () => {
      const run = await read(runId);
      return run.ended_at !== null && run;
    });

  await t.test(
    'whose message cannot be rendered for the contact fails the run, even with on_error `continue`, and can be retried',
    async () => {
      play.outcome = () => ({ status: 'refused', reason: 'template_error', detail: '/html: It takes too long to render.' });
      const workflow = await create({
        steps: [
          { id: 'hi', ...mail, next: 'tag' },
          { id: 'tag', type: 'add_tag', tag: 'x' },
        ],
        on_error: 'continue',
      });
      assert.equal((await account.get(`/v2/workflows/${workflow.id}`)).data.last_failure, null);
      const runId = await begin(workflow.id);
      const run = await ended(runId);
      const reason = 'The message cannot be rendered for this contact: /html: It takes too long to render.';
      assert.deepEqual([run.state, run.step_id, run.reason], ['failed', 'hi', reason]);
      const { data } = await account.get(`/v2/workflows/${workflow.id}`);
      assert.deepEqual(data.last_failure, { run_id: runId, step_id: 'hi', reason, at: run.ended_at });
      const analytics = (await account.get(`/v2/workflows/${workflow.id}/analytics`)).data;
      assert.deepEqual(analytics.steps[0], {
        step_id: 'hi',
        entered: 1,
        done: 0,
        skipped: 1,
        exited: 0,
        converted: 0,
        waiting: 0,
        failed: 1,
        next: [],
        seconds_in_step: null,
        seconds_to_goal: null,
        variants: [],
      });

      play.outcome = () => ({ status: 'done' });
      assert.equal((await account.post(`/v2/workflows/runs/${runId}/retry`)).status, 200);
      assert.equal((await eventually(async () => (await read(runId)).state === 'completed' && read(runId))).state, 'completed');
      assert.equal((await account.get(`/v2/workflows/${workflow.id}`)).data.last_failure, null);
    },
  );

  await t.test('whose sender is not verified fails the run with that reason, and can be retried', async () => {
    const detail = 'The domain example.com is not verified.';
    play.outcome = () => ({ status: 'refused', reason: 'unverified_domain', detail });
    const workflow = await create({ steps: [{ id: 'hi', ...mail }], on_error: 'continue' });
    const runId = await begin(workflow.id);
    const run = await ended(runId);
    assert.deepEqual([run.state, run.step_id, run.reason], ['failed', 'hi', detail]);
    play.outcome = () => ({ status: 'done' });
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/retry`)).status, 200);
    await eventually(async () => (await read(runId)).state === 'completed');
  });

  await t.test('is not one that is refused for the contact: then the run continues', async () => {
    play.outcome = (effect) => ('message' in effect ? { status: 'refused', reason: 'unsubscribed' } : { status: 'done' });
    const workflow = await create({
      steps: [
        { id: 'hi', ...mail, next: 'tag' },
        { id: 'tag', type: 'add_tag', tag: 'x' },
      ],
    });
    assert.equal((await ended(await begin(workflow.id))).state, 'completed');
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('that segments cannot evaluate fails the run after a day, and can be retried', async () => {
    play.rule = () => ({ known: false, matches: false });
    const steps = [
      { id: 'which', type: 'branch', branches: [{ when: { field: 'tags', op: 'exists' }, to: 'tag' }], else: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'x' },
    ];
    const workflow = await create({ trigger: { type: 'contact_updated' }, steps });
    const contact = contactOf({ id: newId('contact'), email: 'slow@example.com', revision: 4 });
    await play.publish(ContactUpdated, account.accountId, { contact, changed: ['company'] });
    const runs = async () => (await account.get(`/v2/workflows/${workflow.id}/runs`)).data.items;
    await eventually(async () => (await runs())[0]?.sequence > 1);
    ahead += 25 * 3_600_000;
    engine.wake();
    const [run] = await eventually(async () => {
      const found = await runs();
      return found[0].ended_at !== null && found;
    });
    assert.deepEqual([run.state, run.step_id], ['failed', 'which']);
    play.rule = () => ({ known: true, matches: true });
    assert.equal((await account.post(`/v2/workflows/runs/${run.id}/retry`)).status, 200);
    assert.equal((await eventually(async () => (await read(run.id)).state === 'completed' && read(run.id))).state, 'completed');
  });

  await t.test('a run that waits until after the last possible date can still be read', async () => {
    const workflow = await create({ steps: [{ id: 'wait', type: 'delay', for: 'P1D' }] });
    const runId = await begin(workflow.id);
    const runs = parts.mongo.db.collection<{ _id: string }>('runs');
    await runs.updateOne({ _id: runId }, { $set: { 'waiting.until': new Date('9999-12-31T23:59:59-23:59').toISOString() } });
    const response = await account.get(`/v2/workflows/runs/${runId}`);
    assert.deepEqual([response.status, response.data?.wake_at], [200, '9999-12-31T23:59:59.999Z']);
    assert.equal((await account.get(`/v2/workflows/${workflow.id}/runs`)).status, 200);
  });

  await t.test('the first email of a workflow created minutes ago is announced in the log, and no other', async () => {
    const announced = (name: string) => warnings.filter((one) => one.name === name && one.text.includes('first email')).length;
    const [young, old] = [
      await create({ name: 'Young', steps: [{ id: 'hi', ...mail }] }),
      await create({ name: 'Old', steps: [{ id: 'hi', ...mail }] }),
    ];
    for (const runId of [await begin(young.id), await begin(young.id)]) await ended(runId);
    await eventually(async () => announced('Young') === 1);
    ahead += 11 * 60_000;
    await ended(await begin(old.id));
    await ended(await begin(young.id));
    assert.deepEqual([announced('Young'), announced('Old')], [1, 0]);
  });
});
