import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import { type ContactId, newId } from '@mp/ids';
import { liveService } from '../../test/live-service.ts';

test('runs that a bulk job of contacts starts', async (t) => {
  const { account, contact, create, parts, runsOf } = await liveService(t);
  const { accountId } = account;
  const steps = [{ id: 'end', type: 'exit' }];
  type Change = { by?: string; account_id?: string; dry_run?: boolean };
  const start = (
    workflow_id: string,
    contact_ids: readonly ContactId[],
    { by = newId('bulk'), account_id = accountId, dry_run = false }: Change = {},
  ) => parts.broker.request(WorkflowRunsStart, { account_id, workflow_id, contact_ids: [...contact_ids], by, lane: 'live', dry_run });
  const statusesOf = ({ items }: { items: { status: string }[] }) => items.map(({ status }) => status);

  await t.test('start once for each contact and job, with the same results for a repeated request', async () => {
    const { id } = await create({ entry: { policy: 'every_time' }, steps });
    const contacts = [await contact(), await contact()];
    const by = newId('bulk');
    const responses = [await start(id, contacts, { by }), await start(id, contacts, { by })];
    assert.deepEqual(responses.map(statusesOf), [
      ['started', 'started'],
      ['started', 'started'],
    ]);
    const runs = await runsOf(id);
    assert.deepEqual([runs.length, runs[0].trigger], [2, { type: 'bulk', event_id: null }]);
    await start(id, contacts);
    assert.equal((await runsOf(id)).length, 4, 'another job is another reason');
  });

  await t.test('are subject to the entry policy, and a dry run says so without starting any', async () => {
    const { id } = await create({ entry: { policy: 'once' }, steps });
    const [first, second] = [await contact(), await contact()];
    await start(id, [first]);
    assert.deepEqual(statusesOf(await start(id, [first, second], { dry_run: true })), ['not_admitted', 'started']);
    assert.equal((await runsOf(id)).length, 1);
    assert.deepEqual(statusesOf(await start(id, [first, second])), ['not_admitted', 'started']);
    assert.equal((await runsOf(id)).length, 2);
  });

  await t.test('the reply names the addresses that the emails of the workflow come from', async () => {
    const send = (id: string, email: string) => ({ id, type: 'send', from: { email }, subject: 'Hi', html: '<p>Hi</p>' });
    const mails = [send('one', 'a@example.com'), { ...send('two', 'b@example.com') }, send('three', 'a@example.com')];
    const linked = mails.map((step, index) => ({ ...step, ...(mails[index + 1] && { next: mails[index + 1]?.id }) }));
    const { id } = await create({ steps: linked });
    assert.deepEqual((await start(id, [], { dry_run: true })).senders, ['a@example.com', 'b@example.com']);
  });

  await t.test('do not start in a workflow that is not active or of another account', async () => {
    const { id } = await create({ steps });
    await account.post(`/v2/workflows/${id}/pause`);
    assert.match((await start(id, [await contact()])).refused ?? '', /paused; activate it first/);
    assert.match((await start(newId('workflow'), [])).refused ?? '', /No workflow/);
    assert.match((await start(id, [], { account_id: newId('account') })).refused ?? '', /No workflow/);
    assert.equal((await runsOf(id)).length, 0);
  });
});
