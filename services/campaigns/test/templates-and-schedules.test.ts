import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignProblemFound } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { campaignsOf } from '../src/campaigns/campaigns-store.ts';
import { read, reconciliation, sendSoon, smallest, startSetting, untilStatus } from './setting.ts';

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

test('campaigns with templates and schedules', async (t) => {
  const { app, neighbours, parts, sink } = await startSetting(t);
  const { html: _, ...own } = smallest;

  await t.test('a campaign sends the version that its template had when it was sent', async () => {
    const account = testClient(app);
    const ada = neighbours.contact(account.accountId, { email: 'template@example.com' });
    const template = (await account.post('/v2/campaigns/templates', { name: 'News', subject: 'Of the template', html: '<p>one</p>' })).data;
    const update = (html: string) => account.put(`/v2/campaigns/templates/${template.id}`, { html });
    const { subject: __, ...withoutSubject } = own;
    const draft = (await account.post('/v2/campaigns', { ...withoutSubject, template_id: template.id })).data;
    assert.deepEqual([draft.subject, draft.html, draft.template_version], ['Of the template', '', null]);
    await update('<p>two</p>');
    assert.match((await account.post(`/v2/campaigns/${draft.id}/preview`)).data.html, /two/);
    const scheduled = (await account.post(`/v2/campaigns/${draft.id}/send`, { schedule_at: inMinutes(60) })).data;
    assert.deepEqual([scheduled.status, scheduled.template_version, scheduled.html], ['scheduled', 2, '<p>two</p>']);
    await update('<p>three</p>');
    const unscheduled = (await account.post(`/v2/campaigns/${draft.id}/unschedule`)).data;
    assert.deepEqual([unscheduled.status, unscheduled.schedule_at, unscheduled.template_version], ['draft', null, null]);
    await account.post(`/v2/campaigns/${draft.id}/send`);
    assert.equal((await untilStatus(account, draft.id, 'sent')).template_version, 3);
    assert.match((await sink.mailTo(ada.email ?? ''))?.html ?? '', /three/);
  });

  await t.test('a campaign that becomes a draft after its template was deleted keeps its content', async () => {
    const account = testClient(app);
    neighbours.contact(account.accountId, { email: 'kept@example.com' });
    const segment = neighbours.segment(account.accountId, []);
    const { id: template_id } = (await account.post('/v2/campaigns/templates', { name: 'News', html: '<p>kept</p>' })).data;
    const draft = async (body: object = {}) => (await account.post('/v2/campaigns', { ...own, template_id, ...body })).data.id;
    const [scheduled, sent, failed] = [await draft(), await draft(), await draft({ audience: { include: [segment] } })];
    const later = { schedule_at: inMinutes(60) };
    for (const [id, body] of [
      [scheduled, later],
      [sent, {}],
      [failed, later],
    ] as const)
      assert.equal((await account.post(`/v2/campaigns/${id}/send`, body)).status, 202);
    await untilStatus(account, sent, 'sent');
    assert.equal((await account.delete(`/v2/campaigns/templates/${template_id}`)).status, 200);
    neighbours.failSegment(segment);
    await campaignsOf(parts.mongo.db).updateOne({ _id: failed }, { $set: { schedule_at: new Date(), work_at: new Date() } });
    await untilStatus(account, failed, 'failed');

    const drafts = [
      (await account.post(`/v2/campaigns/${scheduled}/unschedule`)).data,
      (await account.post(`/v2/campaigns/${sent}/duplicate`, {})).data,
      (await account.put(`/v2/campaigns/${failed}`, { audience: { include: ['all'] } })).data,
    ];
    for (const { id, ...content } of drafts) {
      assert.deepEqual([content.template_id, content.template_version, content.html], [null, null, '<p>kept</p>']);
      assert.match((await account.post(`/v2/campaigns/${id}/preview`)).data.html, /kept/);
      await account.post(`/v2/campaigns/${id}/send`);
      await untilStatus(account, id, 'sent');
    }
    assert.equal((await read(account, sent)).template_id, template_id, 'what was sent still says what it was sent with');
  });

  await t.test('a template that only messages can use is rejected for a campaign', async () => {
    const account = testClient(app);
    const template = { name: 'Receipt', subject: 'Order', html: '<p>{{ data.order }}</p>' };
    const { id } = (await account.post('/v2/campaigns/templates', template)).data;
    const refused = await account.post('/v2/campaigns', { ...own, template_id: id });
    assert.deepEqual([refused.status, refused.error.details[0].code], [400, 'unknown_field']);
    assert.equal((await account.post('/v2/campaigns', { ...smallest, template_id: id })).error.details[0].code, 'not_both');
  });

  await t.test('an email that has only text is sent as text', async () => {
    const account = testClient(app);
    neighbours.contact(account.accountId, { email: 'text@example.com' });
    const { id } = (await account.post('/v2/campaigns', { ...own, text: 'Hi {{ contact.first_name }}' })).data;
    await account.post(`/v2/campaigns/${id}/send`);
    await untilStatus(account, id, 'sent');
    const mail = await sink.mailTo('text@example.com');
    assert.equal(mail?.html, undefined);
    assert.match(mail?.text ?? '', /^Hi Ada\n\nUnsubscribe: http/);
  });

  await t.test('a schedule is changed by PUT of schedule_at and by nothing else', async () => {
    const account = testClient(app);
    neighbours.contact(account.accountId);
    const { id } = (await account.post('/v2/campaigns', smallest)).data;
    assert.equal((await account.put(`/v2/campaigns/${id}`, { schedule_at: inMinutes(5) })).error.details[0].code, 'read_only');
    await account.post(`/v2/campaigns/${id}/send`, { schedule_at: inMinutes(60) });
    const at = inMinutes(90);
    const moved = await account.put(`/v2/campaigns/${id}`, { ...(await read(account, id)), schedule_at: at });
    assert.deepEqual([moved.status, moved.data.schedule_at, moved.data.status], [200, at, 'scheduled']);
    assert.equal((await account.put(`/v2/campaigns/${id}`, { name: 'Other' })).error.code, 'INVALID_STATE');
    for (const schedule_at of [null, inMinutes(-1)])
      assert.equal((await account.put(`/v2/campaigns/${id}`, { schedule_at })).error.details[0].path, '/schedule_at');
    // A busy machine may not get the time there before it has passed.
    await eventually(async () => (await account.put(`/v2/campaigns/${id}`, { schedule_at: inMinutes(0.01) })).status === 200);
    await untilStatus(account, id, 'sent');
    assert.equal((await account.post(`/v2/campaigns/${id}/unschedule`)).error.code, 'INVALID_STATE');
    const copy = (await account.post(`/v2/campaigns/${id}/duplicate`, { name: 'Again' })).data;
    assert.deepEqual([copy.status, copy.name, copy.html, copy.audience_count], ['draft', 'Again', smallest.html, null]);
  });

  await t.test(
    'the owner of a scheduled campaign learns early that its segment could not be built, and that it is right again',
    async () => {
      const account = testClient(app);
      const segment = neighbours.segment(account.accountId, neighbours.contacts(account.accountId, 1));
      const { id } = (await account.post('/v2/campaigns', { ...smallest, audience: { include: [segment] } })).data;
      await account.post(`/v2/campaigns/${id}/send`, { schedule_at: inMinutes(60) });
      neighbours.failSegment(segment);
      const { problem, revision } = await eventually(async () => {
        const campaign = await read(account, id);
        return campaign.problem !== null && campaign;
      });
      assert.match(problem, /^\/audience\/include\/0: the segment could not be built/);
      // Segments may not reply in time on a busy machine.
      const moved = await eventually(async () => {
        const response = await account.put(`/v2/campaigns/${id}`, { schedule_at: inMinutes(90) });
        return response.status !== 503 && response;
      });
      assert.deepEqual([moved.status, moved.error.details[0].code], [400, 'failed_segment'], 'it cannot be rescheduled either');
      neighbours.failSegment(segment, false);
      await eventually(async () => (await read(account, id)).problem === null);
      assert.equal((await account.put(`/v2/campaigns/${id}`, { ...(await read(account, id)), problem })).data.revision, revision);
      const events = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: CampaignProblemFound.subject });
      assert.deepEqual(
        events.map(({ envelope: { data } }) => [data.campaign_id, data.problem]),
        [[id, problem]],
        'published once',
      );
    },
  );

  await t.test('a schedule and a draft belong to the account: they keep nothing of the user who made them and may be removed', async () => {
    const account = testClient(app);
    neighbours.contact(account.accountId, { email: 'kept@example.com' });
    const ada = account.as({ principal_id: newId('user') });
    const [{ data: draft }, { data: scheduled }] = [
      await ada.post('/v2/campaigns', smallest),
      await ada.post('/v2/campaigns', { ...smallest, name: 'Scheduled' }),
    ];
    await sendSoon(ada, scheduled.id, 700);
    const stored = await campaignsOf(parts.mongo.db)
      .find({ _id: { $in: [draft.id, scheduled.id] } })
      .toArray();
    assert.ok(!JSON.stringify(stored).includes('user_'));
    await untilStatus(account, scheduled.id, 'sent');
    assert.equal((await account.post(`/v2/campaigns/${draft.id}/send`)).status, 202);
  });

  await t.test('a campaign that failed is corrected and sent again, to the new audience only, and its ledger adds up', async () => {
    const account = testClient(app);
    const people = neighbours.contacts(account.accountId, 450, (index) => ({ email: `again${index}@example.com` }));
    const [first, second] = [neighbours.segment(account.accountId, people), neighbours.segment(account.accountId, people.slice(0, 3))];
    const { id } = (await account.post('/v2/campaigns', { ...smallest, audience: { include: ['all', first] } })).data;
    neighbours.audience.pages = 0;
    neighbours.audience.beforePage = async () => {
      if (neighbours.audience.pages === 2) neighbours.failSegment(first);
      if (neighbours.audience.pages === 2) throw new Error('The segment failed.');
    };
    await account.post(`/v2/campaigns/${id}/send`);
    await untilStatus(account, id, 'failed', 20_000);
    neighbours.audience.beforePage = async () => {};
    const emptied = await eventually(async () => {
      const ledger = await reconciliation(account, id);
      assert.equal(ledger.reconciles, true);
      return ledger.sum === 0 && ledger;
    });
    assert.equal(emptied.audience_count, 0);
    await account.put(`/v2/campaigns/${id}`, { audience: { include: [second] } });
    await account.post(`/v2/campaigns/${id}/send`);
    const sent = await untilStatus(account, id, 'sent');
    assert.deepEqual([sent.audience_count, sent.status_reason], [3, null]);
    assert.deepEqual((await reconciliation(account, id)).reconciles, true);
    assert.equal(sink.received.filter(({ to }) => to.startsWith('again')).length, 3);
  });
});
