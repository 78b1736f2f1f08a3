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

/** Segments that lags: its consumers process nothing until they are started. */
function segmentsBehind(parts: Parts) {
  const built = buildSegments(parts);
  const catchUp = () => {
    for (const consumer of built.consumers) consumer.start();
  };
  return { ...built, consumers: built.consumers.map((consumer) => ({ ...consumer, start: () => undefined })), catchUp };
}

const inCampaigns = (parts: Parts) =>
  buildCampaigns(parts, {
    LINK_KEYS: parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`),
    PUBLIC_URL: 'http://mail.test',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SMTP_CONNECTIONS: 1,
  });

const people = (name: string, count: number, city: string) =>
  Array.from({ length: count }, (_, index) => ({ email: `${name}${index}@consistent.example`, address: { city } }));

const order = ({ email }: { email: string }) => ({ event: 'order_placed', email });

test('an audience includes every contact that the API has confirmed, however far segments lags', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const leadpulse = await testService(t, await testParts(t, 'leadpulse'), buildLeadpulse, { live: true });
  const campaigns = await testService(t, await testParts(t, 'campaigns'), inCampaigns, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), segmentsBehind, { live: true });
  const account = testClient(contacts.app);
  const owner = (app: typeof contacts.app) => testClient(app, { account_id: account.accountId });
  const patient = (app: typeof contacts.app) => owner(app).patient();

  const definition = { any: [{ field: 'city', op: 'eq', value: 'Berlin' }, { event: 'order_placed' }] };
  const { data: segment } = await owner(segments.app).post('/v2/segments', { name: 'Reachable', definition });
  const members = `/v2/segments/${segment.id}/contacts?include=total_count`;
  await eventually(async () => (await owner(segments.app).get(`/v2/segments/${segment.id}`)).data.status === 'ready');

  const [here, buyers, firstBuyers] = [people('here', 90, 'Berlin'), people('buyer', 20, 'Bonn'), people('first', 10, 'Bonn')];
  const track = (those: typeof here) => owner(leadpulse.app).post('/v2/leadpulse/track', { events: those.map(order) });
  assert.equal((await track(firstBuyers)).status, 202, 'events of contacts that are created later');
  const batch = await account.post('/v2/contacts/batch', { contacts: [...here, ...buyers, ...firstBuyers] });
  assert.equal(batch.status, 200, batch.text);
  assert.equal((await track(buyers)).status, 202);

  const body = { name: 'Now', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>', audience: { include: [segment.id] } };
  const { data: campaign } = await patient(campaigns.app).post('/v2/campaigns', body);
  assert.equal((await patient(campaigns.app).post(`/v2/campaigns/${campaign.id}/send`)).status, 202);
  const campaignNow = async () => (await owner(campaigns.app).get(`/v2/campaigns/${campaign.id}`)).data;

  await t.test('a consistent list is rejected with Retry-After until segments has caught up', async () => {
    const refused = await owner(segments.app).get(`${members}&consistent=true`);
    assert.deepEqual([refused.status, refused.error?.code], [503, 'SERVICE_UNAVAILABLE'], refused.text);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal(
      (await owner(segments.app).get(members)).data.pagination.total_count,
      0,
      'without `consistent` the list is what segments has applied',
    );
    assert.deepEqual([(await campaignNow()).status, (await campaignNow()).frozen_at], ['freezing', null]);
  });

  await t.test('once segments has caught up, both the list and the audience include every contact', async () => {
    segments.catchUp();
    const list = await patient(segments.app).get(`${members}&consistent=true`);
    assert.equal(list.data.pagination.total_count, 120);
    const frozen = await eventually(async () => {
      const now = await campaignNow();
      return now.status === 'sending' && now;
    });
    assert.equal(frozen.audience_count, 120);
    await patient(campaigns.app).post(`/v2/campaigns/${campaign.id}/cancel`);
  });

  await t.test('a consistent list shows each confirmed change, without fixed waits', async () => {
    for (const email of ['one', 'two', 'three'].map((name) => `${name}@consistent.example`)) {
      const before = (await patient(segments.app).get(`${members}&consistent=true`)).data.pagination.total_count;
      assert.equal((await account.post('/v2/contacts', { email, address: { city: 'Berlin' } })).status, 201);
      const after = await patient(segments.app).get(`${members}&consistent=true`);
      assert.equal(after.data.pagination.total_count, before + 1);
    }
  });

  await t.test('`as_of` and `consistent` exclude each other', async () => {
    const both = await owner(segments.app).get(`${members}&consistent=true&as_of=2026-01-01T00:00:00Z`);
    assert.deepEqual([both.status, both.error.details[0].path], [400, '/query/consistent'], both.text);
  });
});
