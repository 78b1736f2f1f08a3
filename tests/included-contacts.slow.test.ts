import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp as buildCampaigns } from '../services/campaigns/src/app.ts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { buildApp as buildLeadpulse } from '../services/leadpulse/src/app.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';
import { buildApp as buildWorkflows } from '../services/workflows/src/app.ts';
import { config } from '../services/workflows/test/setting.ts';

const keys = parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`);
const inCampaigns = (parts: Parts) =>
  buildCampaigns(parts, { LINK_KEYS: keys, PUBLIC_URL: 'http://mail.test', SMTP_URL: 'smtp://127.0.0.1:1', SMTP_CONNECTIONS: 1 });

test('include=contact adds the same contact to every row that names one, and segments of a contact are found', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const leadpulse = await testService(t, await testParts(t, 'leadpulse'), buildLeadpulse, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), buildSegments, { live: true });
  const workflows = await testService(t, await testParts(t, 'workflows'), (parts: Parts) => buildWorkflows(parts, config), { live: true });
  const campaigns = await testService(t, await testParts(t, 'campaigns'), inCampaigns, { live: true });
  const account = testClient(contacts.app).patient();
  const of = ({ app }: { app: typeof contacts.app }) => testClient(app, { account_id: account.accountId }).patient();

  const { data: contact } = await account.post('/v2/contacts', { email: 'ada@included.example', first_name: 'Ada', tags: ['vip'] });
  const { data: segment } = await of(segments).post('/v2/segments', {
    name: 'VIP',
    definition: { field: 'tags', op: 'contains', value: 'vip' },
  });
  await eventually(async () => (await of(segments).get(`/v2/segments/${segment.id}/contacts`)).data.items.length === 1);
  await of(leadpulse).post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'v1', email: 'ada@included.example' });
  const steps = [{ id: 'end', type: 'exit', reason: 'done' }];
  const { data: workflow } = await of(workflows).post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
  const triggered = await of(workflows).post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contact.id });
  assert.equal(triggered.status, 202, triggered.text);
  const mail = { name: 'C', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>', audience: { include: [segment.id] } };
  const { data: campaign } = await of(campaigns).post('/v2/campaigns', mail);
  await of(campaigns).post(`/v2/campaigns/${campaign.id}/send`);

  const lists = [
    [segments, `/v2/segments/${segment.id}/contacts?include=contact,total_count`],
    [campaigns, `/v2/campaigns/${campaign.id}/ledger?include=contact`],
    [workflows, `/v2/workflows/${workflow.id}/runs?include=contact`],
    [leadpulse, '/v2/leadpulse/visitors?include=bots,contact&identified=true'],
  ] as const;
  const rows = async () =>
    Promise.all(
      lists.map(async ([service, url]) => (await of(service).get(url)).data.items.map((row: { contact: unknown }) => row.contact)),
    );
  for (const [index, [service, url]] of lists.entries())
    await eventually(async () => (await of(service).get(url)).data?.items.length === 1).catch(() => assert.fail(`list ${index}: ${url}`));
  // Tracking moves last_seen_at a moment later.
  const known = await eventually(async () => {
    const { data } = await account.get(`/v2/contacts/${contact.id}`);
    return data.last_seen_at !== null && data;
  });
  assert.deepEqual(await rows(), [[known], [known], [known], [known]]);
  for (const [service, url] of lists) {
    const plain = await of(service).get(url.replace(/\?.*/, service === leadpulse ? '?include=bots' : ''));
    assert.equal('contact' in plain.data.items[0], false);
    assert.equal(
      (
        await of(service)
          .as({ scopes: ['segments:read', 'campaigns:read', 'workflows:read', 'leadpulse:read'] })
          .get(url)
      ).status,
      403,
    );
    assert.equal((await of(service).get(url.replace(/(include=(?:bots,)?)contact/, '$1owner'))).status, 400, url);
  }
  const [run] = (await of(workflows).get(`/v2/workflows/${workflow.id}/runs`)).data.items;
  const [visitor] = (await of(leadpulse).get('/v2/leadpulse/visitors?include=bots')).data.items;
  assert.deepEqual((await of(workflows).get(`/v2/workflows/runs/${run.id}?include=contact`)).data.contact, known);
  assert.deepEqual((await of(leadpulse).get(`/v2/leadpulse/visitors/${visitor.id}?include=contact`)).data.contact, known);

  const { data: other } = await account.post('/v2/contacts', { external_id: 'survivor' });
  const { data: merged } = await account.post(`/v2/contacts/${other.id}/merge`, { source_id: contact.id });
  const survivor = await eventually(async () => {
    const [, inLedger] = await rows();
    return inLedger?.[0]?.id === other.id && inLedger[0];
  });
  assert.equal(survivor.first_name, merged.contact.first_name);
  await eventually(async () => {
    const { data } = await of(segments).get(`/v2/contacts/${contact.id}/segments`);
    return data?.items[0]?.id === segment.id;
  });
  await account.delete(`/v2/contacts/${other.id}`);
  assert.equal((await of(campaigns).get(lists[1][1])).data.items[0].contact, null);
});
