import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { mail, smallest } from './setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;

test('a run, from its trigger to its end', async (t) => {
  const { account, contact, create, ended, events, logEvents, pass, performedFor, play, read, trigger } = await liveService(t);

  await t.test('waits, adds the tag, ends, and records all of it in its log and in events', async () => {
    const workflow = await create(smallest);
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    assert.equal((await read(runId)).waiting_for, 'time');
    pass(1_000);
    const run = await ended(runId);
    assert.deepEqual([run.state, run.step_id, run.sequence], ['completed', null, 3]);
    assert.deepEqual(logEvents(run), ['run started', 'wait waiting', 'wait done', 'tag requested', 'tag done', 'run ended']);
    assert.deepEqual(
      performedFor(runId).map((effect) => 'change' in effect && effect.change),
      [{ type: 'add_tag', tag: 'welcomed' }],
    );
    const started = await events.next(RunStarted, ({ data }) => data.run_id === runId);
    assert.deepEqual([started.data.workflow_name, started.data.contact_id, started.account_id], ['Welcome', id, account.accountId]);
    const end = await events.next(RunEnded, ({ data }) => data.run_id === runId);
    assert.deepEqual([end.data.state, end.data.reason], ['completed', null]);
  });

  await t.test('ends a delay on its own, and not early', async () => {
    const workflow = await create(smallest);
    const runId = await trigger(workflow.id, await contact());
    const due = Date.parse((await read(runId)).wake_at);
    const run = await ended(runId);
    assert.ok(Date.parse(run.log.find(({ event }: { event: string }) => event === 'done').at) >= due);
  });

  await t.test('takes the first branch whose rule matches, and retries until segments can evaluate it', async () => {
    const rule = { field: 'tags', op: 'contains', value: 'vip' };
    const workflow = await create({
      steps: [
        {
          id: 'which',
          type: 'branch',
          branches: [
            { when: { field: 'country', op: 'eq', value: 'DE' }, to: 'end' },
            { when: rule, to: 'vip' },
          ],
        },
        { id: 'vip', type: 'add_tag', tag: 'gold' },
        { id: 'end', type: 'exit' },
      ],
    });
    let requests = 0;
    play.rule = (request) => {
      requests += 1;
      return { known: requests > 1, matches: JSON.stringify(request.rule) === JSON.stringify(rule) };
    };
    const runId = await trigger(workflow.id, await contact());
    await eventually(async () => requests === 1 && (await read(runId)).sequence > 1);
    pass(1_000);
    const run = await ended(runId);
    assert.deepEqual(logEvents(run).slice(1), ['which waiting', 'which waiting', 'which taken', 'vip requested', 'vip done', 'run ended']);
    assert.equal(requests, 3, 'no attempt was used while segments could not evaluate the rule');
  });

  await t.test('continues after a refused step and logs the reason, or fails there and can be retried', async () => {
    play.outcome = () => ({ status: 'refused', reason: 'The contact is unsubscribed.' });
    const steps = [{ id: 'hi', ...mail }];
    const lenient = await ended(await trigger((await create({ steps })).id, await contact()));
    assert.deepEqual([lenient.state, logEvents(lenient)], ['completed', ['run started', 'hi requested', 'hi skipped', 'run ended']]);
    assert.match(lenient.log[2].text, /unsubscribed/);
    const strict = await create({ steps, on_error: 'exit' });
    const runId = await trigger(strict.id, await contact());
    const failed = await ended(runId);
    assert.deepEqual([failed.state, failed.reason, failed.step_id], ['failed', 'The contact is unsubscribed.', 'hi']);
    play.outcome = () => ({ status: 'done' });
    const retried = await account.post(`/v2/workflows/runs/${runId}/retry`);
    assert.deepEqual([retried.status, retried.data.state], [200, 'waiting']);
    const after = await eventually(async () => {
      const run = await read(runId);
      return run.state === 'completed' && run;
    });
    assert.deepEqual(logEvents(after).slice(-4), ['hi retried', 'hi requested', 'hi done', 'run ended']);
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/retry`)).error.code, 'INVALID_STATE');
  });

  await t.test('requests an effect without a reply again with the same key, and gives up after a day', async () => {
    play.outcome = () => 'silence';
    const workflow = await create({ steps: [{ id: 'tag', type: 'add_tag', tag: 'x' }] });
    const runId = await trigger(workflow.id, await contact());
    const requests = () => play.requests.filter((key) => key.startsWith(runId));
    for (const [index, wait] of [10, 50, 300].entries()) {
      await eventually(async () => requests().length === index + 1);
      pass(wait * 60_000);
    }
    await eventually(async () => requests().length === 4);
    assert.deepEqual(new Set(requests()), new Set([`${runId}:1`]));
    pass(dayMs);
    const run = await ended(runId);
    assert.match(run.log.at(-2).text, /No reply within a day/);
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('stays on the version it started with', async () => {
    const workflow = await create({
      steps: [
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'old' },
        { id: 'old', type: 'add_tag', tag: 'old' },
      ],
    });
    const runId = await trigger(workflow.id, await contact());
    const changed = await account.put(`/v2/workflows/${workflow.id}`, {
      steps: [
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'new' },
        { id: 'new', type: 'add_tag', tag: 'new' },
      ],
    });
    assert.equal(changed.data.version, 2);
    const later = await trigger(workflow.id, await contact());
    pass(3_600_000);
    assert.deepEqual([(await ended(runId)).workflow_version, (await ended(later)).workflow_version], [1, 2]);
    const tags = [runId, later].map((id) =>
      performedFor(id).map((effect) => 'change' in effect && 'tag' in effect.change && effect.change.tag),
    );
    assert.deepEqual(tags, [['old'], ['new']]);
  });
});
