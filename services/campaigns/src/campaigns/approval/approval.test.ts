import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignApprovalChanged, CampaignApprovalSettingChanged, CampaignTransitioned } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { read, routesOnly, smallest } from '../../../test/setting.ts';
import { campaignsOf } from '../campaigns-store.ts';

test('a campaign that needs the approval of a second person', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const user = (client: Client) => client.as({ principal_id: newId('user'), permission: 'read_write' });
  const hour = () => new Date(Date.now() + 3_600_000).toISOString();

  /** An account in which every campaign needs approval, with two editors and a key of the first. */
  async function team(settings: object = { approval: 'always' }) {
    const key = testClient(app);
    const admin = key.as({ principal_id: newId('user'), permission: 'admin' });
    assert.equal((await admin.put('/v2/campaigns/settings', settings)).status, 200);
    return { key, admin, ada: user(key), bea: user(key) };
  }
  const draft = async (client: Client, body: object = {}) => (await client.post('/v2/campaigns', { ...smallest, ...body })).data.id;
  const send = (client: Client, id: string, body: object = {}) => client.post(`/v2/campaigns/${id}/send`, body);
  async function requested(client: Client, body: object = {}, sending: object = {}) {
    const id = await draft(client, body);
    const { status, data } = await send(client, id, sending);
    assert.deepEqual([status, data.status], [202, 'awaiting_approval']);
    return { id, revision: data.revision };
  }
  const decide = (client: Client, verb: string, { id, revision }: { id: string; revision: number }, comment?: string) =>
    client.post(`/v2/campaigns/${id}/${verb}`, { revision, ...(comment !== undefined && { comment }) });
  const code = ({ status, error }: Awaited<ReturnType<typeof decide>>) => [status, error?.code];
  const changesOf = async ({ accountId }: Client) =>
    (await writtenEvents(parts.mongo.db, { accountId })).flatMap(({ envelope: { type, data } }) =>
      type === CampaignApprovalChanged.type ? CampaignApprovalChanged.data.parse(data) : [],
    );

  await t.test('waits when a key, a client or a user sends or schedules it, and starts once another user approves it', async () => {
    const { key, ada, bea } = await team();
    const client = key.as({ principal_id: newId('client'), permission: 'admin' });
    for (const caller of [key, client, ada]) {
      for (const sending of [{}, { schedule_at: hour() }]) {
        const pending = await requested(caller, {}, sending);
        assert.equal((await read(key, pending.id)).started_at, null);
        const { status, data } = await decide(bea, 'approve', pending);
        assert.deepEqual([status, data.status], [200, 'schedule_at' in sending ? 'scheduled' : 'freezing']);
      }
    }
  });

  await t.test('is decided by a signed-in user who may send, never by the one who requested it or their keys', async () => {
    const { key, ada, bea, admin } = await team();
    const pending = await requested(ada);
    const viewer = bea.as({ permission: 'read_only' });
    for (const caller of [key, key.as({ permission: 'admin' }), key.as({ principal_id: newId('client') }), ada, viewer]) {
      for (const verb of ['approve', 'reject']) assert.deepEqual(code(await decide(caller, verb, pending, 'No.')), [403, 'FORBIDDEN']);
    }
    const mine = await (async () => {
      const created_by = newId('user');
      const request = await requested(key.as({ principal_id: newId('key'), created_by }));
      return { request, creator: bea.as({ principal_id: created_by }) };
    })();
    assert.deepEqual(code(await decide(mine.creator, 'approve', mine.request)), [403, 'FORBIDDEN']);
    const canDecide = async (client: Client, id: string) => (await client.get(`/v2/campaigns/${id}/approval`)).data.can_decide;
    assert.deepEqual(
      [
        await canDecide(ada, pending.id),
        await canDecide(key, pending.id),
        await canDecide(bea, pending.id),
        await canDecide(viewer, pending.id),
      ],
      [false, false, true, false],
    );
    assert.equal((await decide(admin, 'approve', pending)).status, 200);
    assert.equal((await decide(bea, 'approve', mine.request)).status, 200);
  });

  await t.test('is a draft again after any change, with an event for the requester, and keeps its request if nothing changes', async () => {
    const { key, ada, bea } = await team();
    for (const change of [
      { subject: 'Other' },
      { audience: { exclude: [], include: ['all'] }, name: 'Renamed' },
      { throttle_per_minute: 5 },
    ]) {
      const pending = await requested(ada);
      const now = await read(key, pending.id);
      const { progress: _, timing: __, ...same } = now;
      assert.equal((await bea.put(`/v2/campaigns/${pending.id}`, same)).data.status, 'awaiting_approval');
      const { status, data } = await bea.put(`/v2/campaigns/${pending.id}`, change);
      assert.deepEqual([status, data.status, data.schedule_at], [200, 'draft', null]);
      assert.deepEqual(await read(key, pending.id), { ...data, progress: null, timing: null });
      assert.deepEqual(code(await decide(bea, 'approve', pending)), [409, 'INVALID_STATE']);
      const [withdrawn] = (await changesOf(key)).filter(({ campaign_id, change }) => campaign_id === pending.id && change === 'withdrawn');
      assert.deepEqual([withdrawn?.requested_by === withdrawn?.actor_id, withdrawn?.comment], [false, null]);
    }
  });

  await t.test('is approved in the revision that was seen, however an edit and the approval race', async () => {
    const { key, ada, bea } = await team();
    const pending = await requested(ada);
    await ada.put(`/v2/campaigns/${pending.id}`, { subject: 'Win a car' });
    const again = await send(ada, pending.id);
    assert.deepEqual(code(await decide(bea, 'approve', pending)), [412, 'PRECONDITION_FAILED']);
    assert.equal((await decide(bea, 'approve', { ...pending, revision: again.data.revision })).status, 200);
    for (let round = 0; round < 8; round += 1) {
      const one = await requested(ada);
      const [edit, approval] = await Promise.all([
        ada.put(`/v2/campaigns/${one.id}`, { subject: 'Win a car' }),
        decide(bea, 'approve', one),
      ]);
      const { status, subject } = await read(key, one.id);
      assert.deepEqual(
        [edit.status, approval.status, status, subject === 'Win a car'],
        edit.status === 200 ? [200, 409, 'draft', true] : [409, 200, 'freezing', false],
      );
    }
  });

  await t.test('starts once if it is approved several times at once', async () => {
    const { key, ada, bea, admin } = await team();
    const pending = await requested(ada);
    const responses = await Promise.all([bea, admin, bea, admin].map((client) => decide(client, 'approve', pending)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    const events = await writtenEvents(parts.mongo.db, { accountId: key.accountId });
    const started = events.filter(({ envelope }) => envelope.type === CampaignTransitioned.type);
    assert.equal(started.length, 1);
    assert.deepEqual(
      (await changesOf(key)).map(({ change }) => change),
      ['requested', 'approved'],
    );
  });

  await t.test('is a draft again after a rejection, whose comment the requester reads, and can be sent for approval again', async () => {
    const { ada, bea } = await team();
    const pending = await requested(ada);
    assert.deepEqual((await decide(bea, 'reject', pending)).status, 400);
    assert.equal((await decide(bea, 'reject', pending, 'The link is wrong.')).data.status, 'draft');
    const { status, comment, decided_at } = (await ada.get(`/v2/campaigns/${pending.id}/approval`)).data;
    assert.deepEqual([status, comment, typeof decided_at], ['rejected', 'The link is wrong.', 'string']);
    assert.equal((await send(ada, pending.id)).data.status, 'awaiting_approval');
  });

  await t.test('needs another time if the scheduled one has passed', async () => {
    const { key, ada, bea } = await team();
    const pending = await requested(ada, {}, { schedule_at: hour() });
    const past = new Date(Date.now() - 1_000);
    await campaignsOf(parts.mongo.db).updateOne({ account_id: key.accountId }, { $set: { schedule_at: past } });
    const response = await decide(bea, 'approve', pending);
    assert.deepEqual([...code(response), response.error.details[0].code], [409, 'INVALID_STATE', 'schedule_passed']);
    assert.equal((await ada.post(`/v2/campaigns/${pending.id}/unschedule`)).data.status, 'draft');
    assert.equal((await ada.get(`/v2/campaigns/${pending.id}/approval`)).data.status, 'withdrawn');
    assert.equal((await send(ada, pending.id, { schedule_at: hour() })).data.status, 'awaiting_approval');
  });

  await t.test('shows what changed since it was approved', async () => {
    const { ada, bea } = await team();
    const html = `<p>${'Hello. '.repeat(600)}</p>`;
    const pending = await requested(ada, { html }, { schedule_at: hour() });
    const changes = async () => (await bea.get(`/v2/campaigns/${pending.id}/approval`)).data.changes;
    assert.equal(await changes(), null);
    await decide(bea, 'approve', pending);
    assert.deepEqual(await changes(), []);
    await ada.post(`/v2/campaigns/${pending.id}/unschedule`);
    await ada.put(`/v2/campaigns/${pending.id}`, { subject: 'Bye', html: html.replace('</p>', '<b>Buy!</b></p>'), topic: 'news' });
    const { data } = await send(ada, pending.id);
    assert.equal(data.status, 'awaiting_approval');
    const found = await changes();
    assert.deepEqual(found.map(({ field }: { field: string }) => field).sort(), ['html', 'schedule_at', 'subject', 'topic']);
    const of = (name: string) => found.find(({ field }: { field: string }) => field === name);
    assert.deepEqual([of('subject').before, of('subject').after, of('topic').before], [smallest.subject, 'Bye', null]);
    assert.match(of('html').after, /^….*<b>Buy!<\/b><\/p>$/s);
    assert.ok(of('html').after.length < 300);
  });

  await t.test('needs approval again for another time, and to be sent earlier than approved', async () => {
    const { ada, bea } = await team();
    const pending = await requested(ada, {}, { schedule_at: hour() });
    const { data } = await decide(bea, 'approve', pending);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const moved = await ada.put(`/v2/campaigns/${pending.id}`, { schedule_at: later });
    assert.deepEqual([moved.status, moved.data.status, moved.data.schedule_at], [200, 'awaiting_approval', later]);
    const approved = await decide(bea, 'approve', { ...pending, revision: moved.data.revision });
    assert.ok(approved.data.revision > data.revision);
    assert.equal((await send(ada, pending.id)).data.status, 'awaiting_approval');
  });

  await t.test('sends the content that was approved, although its template has changed since', async () => {
    const { key, ada, bea } = await team();
    const template = (await key.post('/v2/campaigns/templates', { name: 'T', subject: 'First', html: '<p>First</p>' })).data;
    const pending = await requested(ada, { subject: undefined, html: undefined, template_id: template.id });
    await key.put(`/v2/campaigns/templates/${template.id}`, { subject: 'Second', html: '<p>Second</p>' });
    const { data } = await decide(bea, 'approve', pending);
    assert.deepEqual([data.subject, data.html, data.template_version], ['First', '<p>First</p>', 1]);
    const other = await requested(ada, { subject: undefined, html: undefined, template_id: template.id });
    const back = (await ada.put(`/v2/campaigns/${other.id}`, { name: 'Renamed' })).data;
    assert.deepEqual([back.status, back.html, back.template_version], ['draft', '', null]);
  });

  await t.test('waits although approval is switched off meanwhile; its request can be withdrawn, and it is then sent', async () => {
    const { key, ada, bea, admin } = await team();
    const [one, two] = [await requested(ada), await requested(ada)];
    await admin.put('/v2/campaigns/settings', { approval: 'off' });
    assert.equal((await read(key, one.id)).status, 'awaiting_approval');
    assert.deepEqual(code(await send(key, one.id)), [409, 'INVALID_STATE']);
    assert.equal((await decide(bea, 'approve', two)).data.status, 'freezing');
    await ada.post(`/v2/campaigns/${one.id}/unschedule`);
    assert.equal((await send(key, one.id)).data.status, 'freezing');
  });

  await t.test('cannot be avoided: no other request starts it', async () => {
    const { key, ada } = await team();
    const variants = [
      { weight: 50, subject: 'A' },
      { weight: 50, subject: 'B' },
    ];
    const pending = await requested(ada, { ab_test: { variants, sample_percent: 50, metric: 'opens', selection: 'manual' } });
    for (const [path, body] of [
      ['send', {}],
      ['send', { schedule_at: hour() }],
      ['resume', {}],
      ['pause', {}],
      ['winner', { variant: 'a' }],
      ['resolve-unknown', { action: 'resend' }],
      ['cancel', {}],
    ] as const) {
      const { status } = await key.post(`/v2/campaigns/${pending.id}/${path}`, body);
      assert.ok([200, 409].includes(status), `${path}: ${status}`);
      assert.equal((await read(key, pending.id)).status, 'awaiting_approval', path);
    }
    const copy = (await key.post(`/v2/campaigns/${pending.id}/duplicate`)).data;
    assert.deepEqual([copy.status, (await send(key, copy.id)).data.status], ['draft', 'awaiting_approval']);
    assert.equal(await parts.mongo.db.collection('recipients').countDocuments({ account_id: key.accountId as never }), 0);
  });

  await t.test('is required by a setting that only a signed-in owner or admin changes, and whose changes are published', async () => {
    const { key, ada, admin } = await team({ approval: 'above', approval_above: 100 });
    for (const caller of [key.as({ permission: 'admin' }), ada]) {
      assert.deepEqual(code(await caller.put('/v2/campaigns/settings', { approval: 'off' })), [403, 'FORBIDDEN']);
      assert.equal((await caller.put('/v2/campaigns/settings', { approval: 'above', delivered_after_hours: 12 })).status, 200);
    }
    assert.equal((await admin.put('/v2/campaigns/settings', { approval_above: null })).error.details[0].path, '/approval_above');
    const { revision } = (await admin.get('/v2/campaigns/settings')).data;
    const stale = { 'if-match': `"${revision - 1}"` };
    assert.equal((await admin.put('/v2/campaigns/settings', { approval: 'off' }, stale)).status, 412);
    await admin.put('/v2/campaigns/settings', { approval: 'always' });
    const events = (await writtenEvents(parts.mongo.db, { accountId: key.accountId })).map(({ envelope }) => envelope);
    const changes = events.flatMap(({ type, data }) =>
      type === CampaignApprovalSettingChanged.type ? [CampaignApprovalSettingChanged.data.parse(data).changes] : [],
    );
    assert.deepEqual(changes.at(-1), { approval: { from: 'above', to: 'always' } });
  });
});
