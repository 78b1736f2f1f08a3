import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import { AddressRejected, MessageBounced, MessageComplained } from '@mp/contracts/events/campaigns';
import { ContactUpdated, SuppressionAdded, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { publishEvent } from '../../test/publish-event.ts';
import { buildApp } from '../app.ts';

test('suppressions', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const path = '/v2/contacts/suppressions';
  const body = { email: 'ada@example.com' };
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => path, body });
  await guaranteeRoute(t, app, {
    method: 'DELETE',
    scope: 'contacts:write',
    url: async (client) => `${path}/${(await client.post(path, { email: 'gone@example.com' })).data.id}`,
  });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `${path}/${(await client.post(path, { email: 'one@example.com' })).data.id}`,
  });
  const batch = { suppressions: [body] };
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => `${path}/batch`, body: batch });
  const statusOf = async (account: ReturnType<typeof testClient>, id: string) => (await account.get(`/v2/contacts/${id}`)).data.status;

  await t.test('override consent, for existing and for new contacts', async () => {
    const account = testClient(app);
    const { data: early } = await account.post('/v2/contacts', { email: 'Ada@Bücher.example' });
    const added = await account.post(path, { email: 'ada@xn--bcher-kva.example', reason: 'complaint', note: 'by phone' });
    assert.deepEqual([added.status, added.data.email, added.data.domain], [201, 'ada@xn--bcher-kva.example', null]);
    assert.deepEqual((await account.get(String(added.headers.location))).data, added.data);
    assert.equal((await events.next(SuppressionAdded, ({ account_id }) => account_id === account.accountId)).data.reason, 'complaint');
    assert.equal(await statusOf(account, early.id), 'complained');
    await account.put(`/v2/contacts/${early.id}/consent`, { email: { status: 'subscribed', method: 'double_opt_in' } });
    assert.equal(await statusOf(account, early.id), 'complained');

    await account.delete(`/v2/contacts/${early.id}`);
    const { data: late } = await account.post('/v2/contacts', { email: 'ADA@bücher.example' });
    assert.equal(late.status, 'complained', 'suppressions remain after the contact is deleted');
    assert.equal((await account.put(`/v2/contacts/${late.id}`, { email: 'new@example.com' })).data.status, 'active');
    assert.equal((await testClient(app).post('/v2/contacts', { email: 'ada@bücher.example' })).data.status, 'active');
  });

  await t.test('can be added only once; after removal, consent applies again', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', {
      email: 'b@example.com',
      consent: { email: { status: 'unsubscribed' } },
    });
    const { data: first } = await account.post(path, { email: 'B@example.com' });
    const again = await account.post(path, { email: 'b@example.com', reason: 'complaint' });
    assert.deepEqual([again.status, again.data], [200, first]);
    assert.equal(await statusOf(account, contact.id), 'suppressed');
    const found = await account.get(`${path}?email=b@example.com`);
    assert.deepEqual(found.data.items, [first]);
    assert.equal((await account.delete(`${path}/${first.id}`)).status, 200);
    assert.equal((await events.next(SuppressionRemoved, ({ account_id }) => account_id === account.accountId)).data.value, 'b@example.com');
    assert.equal((await account.delete(`${path}/${first.id}`)).status, 404);
    assert.equal(await statusOf(account, contact.id), 'unsubscribed');
  });

  await t.test('are created once when many requests add the same one', async () => {
    const account = testClient(app).patient();
    const responses = await Promise.all(Array.from({ length: 12 }, () => account.post(path, { email: 'many@example.com' })));
    assert.deepEqual(new Set(responses.map(({ data }) => data.id)).size, 1);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(11).fill(200), 201]);
  });

  await t.test('of a domain affect all of its contacts and no others', async () => {
    const account = testClient(app);
    const contacts = Array.from({ length: 450 }, (_, index) => ({ email: `d${index}@corp.example` }));
    await account.post('/v2/contacts/batch', { contacts: [...contacts, { email: 'x@sub.corp.example' }] });
    const { data: rule } = await account.post(path, { domain: 'Corp.Example' });
    assert.deepEqual([rule.domain, rule.email], ['corp.example', null]);
    const suppressed = async () =>
      (await account.get('/v2/contacts?status=suppressed&limit=1&include=total_count')).data.pagination.total_count;
    await eventually(async () => (await suppressed()) === 450);
    await account.delete(`${path}/${rule.id}`);
    await eventually(async () => (await suppressed()) === 0);
  });

  await t.test('in a batch keep their reason and date, and contacts follow; sent again, they are unchanged', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'b7@example.com' });
    const rows = [
      ...Array.from({ length: 450 }, (_, index) => ({
        email: `b${index}@example.com`,
        reason: 'hard_bounce',
        suppressed_at: '2024-02-29T10:00:00+02:00',
      })),
      { email: 'B7@example.com', reason: 'complaint' },
      { email: 'nope' },
      { email: 'late@example.com', suppressed_at: '2999-01-01T00:00:00Z' },
      { domain: 'corp.example' },
    ];
    const { status, data } = await account.post(`${path}/batch`, { suppressions: rows, start_workflows: false });
    assert.equal(status, 200);
    assert.deepEqual(data.counts, { created: 451, unchanged: 1, error: 2 });
    assert.deepEqual(
      data.results.map(({ index }: { index: number }) => index),
      rows.map((_, index) => index),
    );
    assert.equal(data.results[450].id, data.results[7].id);
    assert.deepEqual([data.results[451].error.path, data.results[452].error.path], ['/email', '/suppressed_at']);
    const found = (await account.get(`${path}/${data.results[7].id}`)).data;
    assert.deepEqual([found.reason, found.suppressed_at], ['hard_bounce', '2024-02-29T08:00:00.000Z']);
    assert.notEqual(found.created_at, found.suppressed_at);
    assert.equal(await statusOf(account, contact.id), 'bounced');
    const again = await account.post(`${path}/batch`, { suppressions: rows });
    assert.deepEqual(again.data.counts, { created: 0, unchanged: 452, error: 2 });
    assert.deepEqual((await account.get(`${path}/${data.results[7].id}`)).data, found);
    const tooMany = Array.from({ length: 1_001 }, () => body);
    assert.equal((await account.post(`${path}/batch`, { suppressions: tooMany })).status, 400);
  });

  await t.test('in a batch start no workflow if it is so asked', async () => {
    const account = testClient(app);
    const own = (envelope: { account_id: string }) => envelope.account_id === account.accountId;
    await account.post('/v2/contacts', { email: 'quiet@example.com' });
    await account.post(`${path}/batch`, { suppressions: [{ email: 'quiet@example.com' }], start_workflows: false });
    const { starts_workflows } = await events.next(ContactUpdated, own);
    assert.equal(starts_workflows, false);
  });

  await t.test('reject values that are neither an address nor a domain', async () => {
    const account = testClient(app);
    for (const wrong of [
      {},
      { email: 'a@b.co', domain: 'b.co' },
      { email: 'nope' },
      { domain: 'no spaces.com' },
      { domain: 'localhost' },
      { domain: '@x.com' },
    ])
      assert.equal((await account.post(path, wrong)).status, 400, JSON.stringify(wrong));
  });

  const bounce = (account: ReturnType<typeof testClient>, contactId: string, bounced: { hard: boolean; address_hash?: string }) =>
    publishEvent(parts, account.accountId, {
      event: MessageBounced,
      data: {
        recipient_id: newId('recipient'),
        contact_id: contactId,
        campaign_id: newId('campaign'),
        workflow_id: null,
        at: new Date().toISOString(),
        reason: '550 5.1.1 no such user: who@example.com',
        ...bounced,
      },
    });

  await t.test('a complaint that names its address suppresses it, and so does one from an address without a contact', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'cross@example.com' });
    const hashOf = (email: string) => suppressionHash(account.accountId, 'email', email);
    const at = new Date().toISOString();
    const message = { recipient_id: newId('recipient'), contact_id: contact.id, campaign_id: newId('campaign'), workflow_id: null, at };
    await publishEvent(parts, account.accountId, { event: MessageComplained, data: message });
    await publishEvent(parts, account.accountId, {
      event: MessageComplained,
      data: { ...message, address_hash: hashOf('cross@example.com') },
    });
    await publishEvent(parts, account.accountId, {
      event: AddressRejected,
      data: { address_hash: hashOf('nobody@example.com'), reason: 'hard_bounce', at },
    });
    await eventually(async () => (await statusOf(account, contact.id)) === 'complained');
    const found = await eventually(async () => (await account.get(`${path}?email=nobody@example.com`)).data.items[0] ?? false);
    assert.deepEqual([found.email, found.reason], [null, 'hard_bounce']);
    assert.equal((await account.get(path)).data.items.length, 2);
  });

  await t.test('a hard bounce suppresses the address that bounced, not the one it was corrected to since', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'tpyo@example.com' });
    await account.put(`/v2/contacts/${contact.id}`, { email: 'typo@example.com' });
    const suppressedNow = () => events.next(SuppressionAdded, ({ account_id }) => account_id === account.accountId);
    const address_hash = suppressionHash(account.accountId, 'email', 'tpyo@example.com');
    await bounce(account, contact.id, { hard: true, address_hash });
    assert.deepEqual((await suppressedNow()).data.hash, address_hash);
    assert.equal(await statusOf(account, contact.id), 'active');
    const [found] = (await account.get(`${path}?email=tpyo@example.com`)).data.items;
    assert.deepEqual([found.email, found.reason, found.note], [null, 'hard_bounce', null]);
    assert.equal((await account.post('/v2/contacts', { email: 'Tpyo@example.com' })).data.status, 'bounced');

    await bounce(account, contact.id, { hard: true, address_hash: suppressionHash(account.accountId, 'email', 'TYPO@example.com') });
    await eventually(async () => (await statusOf(account, contact.id)) === 'bounced');
  });

  await t.test('a hard bounce suppresses the address, a soft one does not', async () => {
    const account = testClient(app);
    const { data: soft } = await account.post('/v2/contacts', { email: 'soft@example.com' });
    const { data: hard } = await account.post('/v2/contacts', { email: 'hard@example.com' });
    await bounce(account, soft.id, { hard: false });
    await bounce(account, hard.id, { hard: true });
    await eventually(async () => (await statusOf(account, hard.id)) === 'bounced');
    assert.equal(await statusOf(account, soft.id), 'active');
    assert.equal((await account.get(path)).data.items[0].reason, 'hard_bounce');
  });
});
