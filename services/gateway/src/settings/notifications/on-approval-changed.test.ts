import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalChange } from '@mp/contracts/approval';
import { CampaignApprovalChanged } from '@mp/contracts/events/campaigns';
import { WorkflowApprovalChanged } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { newApiKey } from '../api-keys/new-api-key.ts';
import { newClientSecret, newOauthClient } from '../oauth/oauth-client.ts';
import type { Mail } from '../users/mailer.ts';
import { onApprovalChanged, subjects } from './on-approval-changed.ts';

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
  const roles = { campaigns: ['campaigns:read', 'campaigns:send'], workflows: ['workflows:read', 'workflows:activate'] };
  for (const [name, scopes] of Object.entries({ ...roles, keys: ['settings:keys'] })) {
    const role = await gateway.send('POST', '/v2/settings/roles', { name, scopes }, { key });
    await invite(`${name}@example.com`, role.data.id);
  }
  await invite('foreign@example.com', 'editor', await gateway.makeKey({ account: other, permission: 'admin' }));
  const campaign_id = newId('campaign');
  const workflow_id = newId('workflow');
  const deps = { ...gateway.stores, mailer, publicUrl: 'https://mp.example.com' };
  const ofCampaigns = onApprovalChanged(CampaignApprovalChanged, subjects.campaign, deps);
  const ofWorkflows = onApprovalChanged(WorkflowApprovalChanged, subjects.workflow, deps);

  const envelopeOf = ({ type }: { type: string }) => {
    const origin = { account_id: account.id, correlation_id: 'req_1', causation_id: null, producer: 'test' };
    return { id: newId('event'), type, version: 1, time: new Date().toISOString(), ...origin };
  };
  const inTransaction = (work: Parameters<typeof gateway.parts.mongo.transaction<void>>[1]) =>
    gateway.parts.mongo.transaction({ correlationId: 'req_1', causationId: null }, work);
  const requestOf = (requested_by: string) => {
    mails.length = 0;
    return { name: 'Spring\nnews', revision: 2, requested_by, schedule_at: null, at: new Date().toISOString() };
  };
  const receivers = () => mails.map(({ to }) => to).sort();

  async function change(change: ApprovalChange, actor_id: string, comment: string | null = null, requested_by = ada) {
    const data = { campaign_id, ...requestOf(requested_by), change, actor_id, comment };
    await inTransaction((tx) => ofCampaigns.react(tx, { ...envelopeOf(CampaignApprovalChanged), data }));
    return receivers();
  }
  async function requestWorkflow(requested_by: string) {
    const data = { workflow_id, ...requestOf(requested_by), change: 'requested' as const, actor_id: requested_by, comment: null };
    await inTransaction((tx) => ofWorkflows.react(tx, { ...envelopeOf(WorkflowApprovalChanged), data }));
    return receivers();
  }

  assert.deepEqual(await change('requested', ada), ['bea@example.com', 'campaigns@example.com']);
  assert.deepEqual(await requestWorkflow(ada), ['bea@example.com', 'workflows@example.com']);
  const { key: own } = newApiKey(account.id, { name: 'K', permission: 'admin', created_by: newId('key'), created_for: bea });
  const client = newOauthClient(
    account.id,
    { name: 'C', permission: 'admin', created_by: bea },
    newClientSecret(new Date(), null).secret,
    new Date(),
  );
  await inTransaction(async (tx) => {
    await gateway.stores.apiKeys.insert(tx, own);
    await gateway.stores.oauthClients.insert(tx, client);
  });
  for (const requested_by of [own.id, client.id])
    assert.deepEqual(await change('requested', requested_by, null, requested_by), ['ada@example.com', 'campaigns@example.com']);
  assert.deepEqual(await change('rejected', bea, 'The link is wrong.'), ['ada@example.com']);
  assert.deepEqual(mails[0], {
    to: 'ada@example.com',
    subject: 'The campaign “Spring news” was rejected',
    text: `The campaign “Spring news” was rejected.\n\nThe link is wrong.\n\nhttps://mp.example.com/campaigns/${campaign_id}`,
  });
  assert.deepEqual(await change('approved', bea), ['ada@example.com']);
  assert.deepEqual(await change('withdrawn', ada), []);
  const { items } = (await gateway.send('GET', '/v2/settings/audit-log?limit=3', undefined, { key })).body.data;
  assert.deepEqual(
    items.map(({ action, actor_id, target_id }: Record<string, string>) => [action, actor_id, target_id]),
    [
      ['campaign.approval_withdrawn', ada, campaign_id],
      ['campaign.approved', bea, campaign_id],
      ['campaign.rejected', bea, campaign_id],
    ],
  );
  const requests = (await gateway.send('GET', `/v2/settings/audit-log?target_id=${workflow_id}`, undefined, { key })).body.data.items;
  assert.deepEqual(
    requests.map(({ action, actor_id }: Record<string, string>) => [action, actor_id]),
    [['workflow.approval_requested', ada]],
  );
});
