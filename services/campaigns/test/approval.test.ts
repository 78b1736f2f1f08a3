import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { campaignsOf } from '../src/campaigns/campaigns-store.ts';
import { read, smallest, startSetting, untilStatus } from './setting.ts';

test('approval by the audience of a campaign', async (t) => {
  const { app, neighbours, parts, sink } = await startSetting(t);
  const later = () => new Date(Date.now() + 3_600_000).toISOString();

  async function team(settings: object = { approval: 'above', approval_above: 3 }) {
    const key = testClient(app);
    const user = (permission: 'admin' | 'read_write') => key.as({ principal_id: newId('user'), permission });
    assert.equal((await user('admin').put('/v2/campaigns/settings', settings)).status, 200);
    return { key, bea: user('read_write') };
  }
  const create = async (client: Client, body: object = {}) => (await client.post('/v2/campaigns', { ...smallest, ...body })).data.id;
  const send = async (client: Client, id: string, body: object = {}) => (await client.post(`/v2/campaigns/${id}/send`, body)).data;
  const mailsTo = (domain: string) => sink.received.filter(({ to }) => to.endsWith(domain)).length;
  const startNow = (id: string) =>
    campaignsOf(parts.mongo.db).updateOne({ _id: id as never }, { $set: { schedule_at: new Date(), work_at: new Date() } });

  await t.test('a campaign needs it only if it has more than the account allows, without those it excludes', async () => {
    const { key, bea } = await team();
    const contacts = neighbours.contacts(key.accountId, 5, (index) => ({ email: `p${index}@few.example` }));
    const two = neighbours.segment(key.accountId, contacts.slice(0, 2));
    const few = await create(key, { audience: { include: ['all'], exclude: [two] } });
    assert.equal((await send(key, few)).status, 'freezing');
    await untilStatus(key, few, 'sent');
    assert.equal(mailsTo('few.example'), 3);
    const many = await create(key);
    const { status, revision } = await send(key, many);
    assert.equal(status, 'awaiting_approval');
    const approved = await bea.post(`/v2/campaigns/${many}/approve`, { revision });
    assert.equal(approved.status, 200);
    await untilStatus(key, many, 'sent');
    assert.equal(mailsTo('few.example'), 8);
  });

  await t.test('a campaign whose audience has grown since it was scheduled fails before anything is sent', async () => {
    const { key } = await team();
    neighbours.contacts(key.accountId, 3, (index) => ({ email: `p${index}@grown.example` }));
    const id = await create(key);
    assert.equal((await send(key, id, { schedule_at: later() })).status, 'scheduled');
    neighbours.contact(key.accountId, { email: 'late@grown.example' });
    await startNow(id);
    const { status_reason } = await untilStatus(key, id, 'failed');
    assert.match(status_reason, /grown to 4 recipients; more than 3 need approval/);
    assert.equal(mailsTo('grown.example'), 0);
    assert.equal((await send(key, id)).status, 'awaiting_approval');
  });

  await t.test('an approved campaign is sent although its audience has grown since', async () => {
    const { key, bea } = await team();
    neighbours.contacts(key.accountId, 4, (index) => ({ email: `p${index}@approved.example` }));
    const id = await create(key);
    const { revision } = await send(key, id, { schedule_at: later() });
    neighbours.contact(key.accountId, { email: 'late@approved.example' });
    assert.equal((await bea.post(`/v2/campaigns/${id}/approve`, { revision })).data.status, 'scheduled');
    await startNow(id);
    await untilStatus(key, id, 'sent');
    assert.equal(mailsTo('approved.example'), 5);
  });

  await t.test('outside given segments, a campaign needs it if its audience includes anything else', async () => {
    const { key, bea } = await team({});
    const segment = () =>
      neighbours.segment(key.accountId, [neighbours.contact(key.accountId, { email: `${newId('contact')}@rule.example` })]);
    const [tests, staff, customers] = [segment(), segment(), segment()];
    const admin = key.as({ principal_id: newId('user'), permission: 'admin' });
    const rule = { approval: 'outside_segments', approval_segments: [tests, staff] };
    const none = await admin.put('/v2/campaigns/settings', { approval: 'outside_segments' });
    assert.deepEqual([none.status, none.error.details[0].path], [400, '/approval_segments']);
    assert.equal((await admin.put('/v2/campaigns/settings', rule)).status, 200);

    const statusOf = async (audience: object) => (await send(key, await create(key, { audience }))).status;
    for (const audience of [{ include: [tests] }, { include: [staff, tests], exclude: [customers] }])
      assert.equal(await statusOf(audience), 'freezing');
    for (const include of [['all'], [customers], [tests, customers], ['all', tests]])
      assert.equal(await statusOf({ include }), 'awaiting_approval', include.join());

    const approval_segments = [tests, staff, customers];
    for (const caller of [key.as({ permission: 'admin' }), bea])
      assert.equal((await caller.put('/v2/campaigns/settings', { approval_segments })).status, 403);
    assert.equal((await key.put('/v2/campaigns/settings', { ...rule, delivered_after_hours: 12 })).status, 200);
  });

  await t.test('test emails and messages need none, and leave the request as it is', async () => {
    const { key } = await team({ approval: 'always' });
    const ada = neighbours.contact(key.accountId, { email: 'ada@tests.example' });
    const id = await create(key);
    const { revision } = await send(key, id);
    const tested = await key.post(`/v2/campaigns/${id}/test`, { to: ['bea@tests.example'], contact_id: ada.id });
    const { subject, html, from } = smallest;
    const message = await key.post('/v2/campaigns/messages', { to: { contact_id: ada.id }, from, content: { subject, html } });
    assert.ok(
      [tested, message].every(({ status }) => status < 300),
      message.text,
    );
    await eventually(async () => mailsTo('tests.example') === 2);
    const now = await read(key, id);
    assert.deepEqual([now.status, now.revision], ['awaiting_approval', revision]);
  });
});
