import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalChange } from '@mp/contracts/approval';
import { CampaignApprovalChanged } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Mail } from '../users/mailer.ts';
import { onApprovalChanged } from './on-approval-changed.ts';

test('requests for approval are emailed to those who can decide them, their outcome to the requester, and all are in the audit log', async (t) => {
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  const gateway = await startTestGateway(t, { mailer });
  const account = await gateway.makeAccount();
  const other = await gateway.makeAccount();
  const key = await gateway.makeKey({ account, permission: 'admin' });
  const invite = async (email: string, role: string, own = key) =>
    (await gateway.send('POST', '/v2/settings/users', { email, role }, { key: own })).data.id;
  const ada = await invite('ada@example.com', 'editor');
  const bea = await invite('bea@example.com', 'admin');
  await invite('viewer@example.com', 'viewer');
  await invite('foreign@example.com', 'editor', await gateway.makeKey({ account: other, permission: 'admin' }));
  const campaign_id = newId('campaign');
  const { users, auditLog } = gateway.stores;
  const deps = { users, auditLog, mailer, publicUrl: 'https://mp.example.com' };
  const { react } = onApprovalChanged(CampaignApprovalChanged, { noun: 'campaign', idOf: (data) => data.campaign_id }, deps);

  async function change(change: ApprovalChange, actor_id: string, comment: string | null = null) {
    mails.length = 0;
    const at = new Date().toISOString();
    const request = { campaign_id, name: 'Spring\nnews', revision: 2, requested_by: ada, schedule_at: null, at };
    const origin = { account_id: account.id, correlation_id: 'req_1', causation_id: null, producer: 'campaigns' };
    const envelope = { id: newId('event'), type: CampaignApprovalChanged.type, version: 1, time: at, ...origin };
    await gateway.parts.mongo.transaction({ correlationId: 'req_1', causationId: null }, (tx) =>
      react(tx, { ...envelope, data: { ...request, change, actor_id, comment } }),
    );
    return mails.map(({ to }) => to).sort();
  }

  const recipients = await change('requested', ada);
  assert.ok(recipients.includes('bea@example.com'));
  for (const address of ['ada@example.com', 'viewer@example.com', 'foreign@example.com']) assert.ok(!recipients.includes(address), address);
  assert.deepEqual(await change('rejected', bea, 'The link is wrong.'), ['ada@example.com']);
  assert.deepEqual(mails[0], {
    to: 'ada@example.com',
    subject: 'The campaign “Spring news” was rejected',
    text: `The campaign “Spring news” was rejected.\n\nThe link is wrong.\n\nhttps://mp.example.com/campaigns/${campaign_id}`,
  });
  assert.deepEqual(await change('approved', bea), ['ada@example.com']);
  assert.deepEqual(await change('withdrawn', ada), []);
  const { items } = (await gateway.send('GET', '/v2/settings/audit-log?limit=4', undefined, { key })).body.data;
  assert.deepEqual(
    items.map(({ action, actor_id, target_id }: Record<string, string>) => [action, actor_id, target_id]),
    [
      ['campaign.approval_withdrawn', ada, campaign_id],
      ['campaign.approved', bea, campaign_id],
      ['campaign.rejected', bea, campaign_id],
      ['campaign.approval_requested', ada, campaign_id],
    ],
  );
});
