import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, quickTimings, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

test('an account that stops all sending', async (t) => {
  const { app, neighbours, parts, sink } = await startSetting(t, { SMTP_CONNECTIONS: 6, timings: quickTimings });
  const recipients = recipientsOf(parts.mongo.db);
  type Owner = ReturnType<typeof account>;
  const pause = async (owner: Owner, sending_paused: boolean) => {
    const { status, data } = await owner.put('/v2/campaigns/settings', { sending_paused });
    assert.deepEqual([status, data.sending_paused], [200, sending_paused]);
  };
  const step = (owner: Owner, contact_id: string, category?: 'transactional') =>
    neighbours.publish(SendEffectRequested, owner.accountId, {
      ...{ effect_key: `${newId('run')}:1`, run_id: newId('run'), workflow_id: newId('workflow'), contact_id },
      ...(category && { category }),
      message: {
        ...{ subject: 'Hi', preview_text: null, from: smallest.from, reply_to: null, html: smallest.html, text: null },
        track: { opens: false, clicks: false },
      },
    });
  const message = async (owner: Owner, to: string, category: string) => {
    const { status, text } = await owner.post('/v2/campaigns/messages', {
      to: { email: to },
      from: smallest.from,
      content: { subject: 'Hi', html: '<p>Hi</p>' },
      category,
    });
    assert.equal(status, 202, text);
  };

  await t.test('holds campaigns, workflow emails and marketing messages, sends transactional messages, and resumes', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 3, (index) => ({ email: `p${index}@stop.example` }));
    const [one, other] = ['run', 'receipt'].map((name) => neighbours.contact(owner.accountId, { email: `${name}@stop.example` }));
    neighbours.contact(owner.accountId, { email: 'offer@stop.example' });
    await pause(owner, true);
    const id = await sendCampaign(owner);
    await step(owner, one?.id ?? '');
    await step(owner, other?.id ?? '', 'transactional');
    await message(owner, 'offer@stop.example', 'marketing');
    await eventually(async () => (await recipients.countDocuments({ account_id: owner.accountId, reason: 'sending_paused' })) === 2);
    await eventually(async () => (await recipients.countDocuments({ account_id: owner.accountId, source_id: id })) > 0);
    await message(owner, 'order@stop.example', 'transactional');
    await eventually(async () => sink.to('order@stop.example').length === 1);
    assert.equal(await recipients.countDocuments({ account_id: owner.accountId, state: { $nin: ['queued'] } }), 1);

    await pause(owner, false);
    await untilStatus(owner, id, 'sent');
    const all = ['p0', 'p1', 'p2', 'run', 'receipt', 'offer', 'order'].map((name) => `${name}@stop.example`);
    await eventually(async () => ['run', 'receipt', 'offer'].every((name) => sink.to(`${name}@stop.example`).length > 0));
    const { reconciles } = await reconciliation(owner, id);
    assert.equal(reconciles, true);
    const times = (address: string) =>
      recipients.countDocuments({ account_id: owner.accountId, address, state: { $in: ['sent', 'delivered'] } });
    for (const address of all) assert.ok((await times(address)) >= 1, address);
    const rows = await recipients.countDocuments({ account_id: owner.accountId, state: { $in: ['sent', 'delivered'] } });
    assert.equal(
      all.reduce((sum, address) => sum + sink.to(address).length, 0),
      rows,
      'no email is lost or doubled',
    );
  });

  await t.test('stops a campaign that is being sent, and sends the rest once it resumes', async () => {
    const owner = account(app);
    const count = 400;
    neighbours.contacts(owner.accountId, count, (index) => ({ email: `p${index}@half.example` }));
    const id = await sendCampaign(owner);
    const inState = (...states: string[]) => recipients.countDocuments({ account_id: owner.accountId, state: { $in: states } as never });
    await eventually(async () => (await inState('sent', 'delivered')) > 0);
    await pause(owner, true);
    // Another account is served meanwhile.
    const witness = account(app);
    neighbours.contacts(witness.accountId, 3, (index) => ({ email: `p${index}@witness.example` }));
    await untilStatus(witness, await sendCampaign(witness), 'sent');
    await pause(owner, false);
    await untilStatus(owner, id, 'sent');
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([states.sent, reconciles], [count, true]);
    for (let index = 0; index < count; index += 1) assert.equal(sink.to(`p${index}@half.example`).length, 1);
  });
});
