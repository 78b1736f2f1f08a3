import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest, startSetting, untilStatus } from '../../test/setting.ts';
import { createTemplatesStore } from '../content/templates/templates-store.ts';
import { campaignsOf } from './campaigns-store.ts';
import { createRecordOverridesOnce } from './record-overrides-once.ts';

const { html: _, subject: __, ...others } = smallest;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const version = (name: string) => ({ subject: `subject ${name}`, preview_text: `preview ${name}`, html: `<p>body ${name}</p>` });

async function createTemplate(account: Client) {
  const { id } = (await account.post('/v2/campaigns/templates', { name: 'News', ...version('v1') })).data;
  return { id, update: (change: object = version('v2')) => account.put(`/v2/campaigns/templates/${id}`, change) };
}

test('what a draft does not override is that of its template, until it is sent', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);

  await t.test('in the emails of a campaign, of the variants of its A/B test and of a copy', async () => {
    const account = testClient(app);
    const people = neighbours.contacts(account.accountId, 10, (index) => ({ email: `follow${index}@example.com` }));
    const template = await createTemplate(account);
    const variants = [{ weight: 50, preview_text: 'preview of variant' }, { weight: 50 }];
    const ab_test = { variants, sample_percent: 100, metric: 'opens' };
    const { id } = (await account.post('/v2/campaigns', { ...others, template_id: template.id, ab_test })).data;
    const copy = (await account.post(`/v2/campaigns/${id}/duplicate`, { name: 'Copy' })).data;
    await template.update();
    const test = { to: ['test@example.com'] };
    assert.equal((await account.post(`/v2/campaigns/${id}/test`, test)).status, 202);
    assert.match((await eventually(() => sink.mailTo('test@example.com'))).subject ?? '', /subject v2$/);
    for (const campaign of [id, copy.id]) {
      await account.post(`/v2/campaigns/${campaign}/send`);
      const sent = await untilStatus(account, campaign, 'sent');
      assert.deepEqual([sent.subject, sent.preview_text, sent.html, sent.template_version], [...Object.values(version('v2')), 2]);
    }
    for (const { email } of people) {
      const mail = await sink.mailTo(email ?? '');
      assert.equal(mail?.subject, 'subject v2');
      assert.match(mail?.html ?? '', /preview (v2|of variant)[\s\S]*body v2/);
    }
  });

  await t.test('scheduling fixes it, and unscheduling frees it again', async () => {
    const account = testClient(app);
    const template = await createTemplate(account);
    const { id } = (await account.post('/v2/campaigns', { ...others, template_id: template.id })).data;
    await template.update();
    const scheduled = (await account.post(`/v2/campaigns/${id}/send`, { schedule_at: inAnHour() })).data;
    await template.update(version('v3'));
    assert.deepEqual([scheduled.subject, scheduled.html], ['subject v2', '<p>body v2</p>']);
    assert.equal((await account.get(`/v2/campaigns/${id}`)).data.subject, 'subject v2');
    assert.equal((await account.post(`/v2/campaigns/${id}/unschedule`)).data.subject, 'subject v3');
  });
});

test('overrides of a template', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const setting = async (body: object = {}) => {
    const account = testClient(app);
    const template = await createTemplate(account);
    const created = (await account.post('/v2/campaigns', { ...others, template_id: template.id, ...body })).data;
    const url = `/v2/campaigns/${created.id}`;
    const shown = async () => {
      const { subject, preview_text, overrides } = (await account.get(url)).data;
      return [subject, preview_text, overrides];
    };
    return { account, template, created, url, shown };
  };

  await t.test('are named by the draft, which shows what would be sent now, as the list and the preview do', async () => {
    const { account, template, created, url, shown } = await setting({ subject: 'Own' });
    assert.deepEqual(created.overrides, ['subject']);
    await template.update();
    assert.deepEqual(await shown(), ['Own', 'preview v2', ['subject']]);
    const [listed] = (await account.get('/v2/campaigns')).data.items;
    assert.deepEqual([listed.subject, listed.preview_text, listed.overrides], ['Own', 'preview v2', ['subject']]);
    assert.match((await account.post(`${url}/preview`)).data.html, /preview v2[\s\S]*body v2/);
  });

  await t.test('are made by a change, not by sending back what was read', async () => {
    const { account, template, url, shown } = await setting();
    const read = await account.get(url);
    const etag = { 'if-match': String(read.headers.etag) };
    const { data: renamed } = await account.put(url, { ...read.data, name: 'Renamed' }, etag);
    assert.deepEqual([renamed.overrides, renamed.revision], [[], 2]);
    const { data: changed } = await account.put(url, { ...renamed, preview_text: null });
    assert.deepEqual([changed.preview_text, changed.overrides], [null, ['preview_text']]);
    assert.equal((await account.put(url, changed)).data.revision, changed.revision, 'nothing changed');
    await template.update();
    assert.deepEqual(await shown(), ['subject v2', null, ['preview_text']]);
  });

  await t.test('end when they are removed from the list, whatever value is sent with it', async () => {
    const { account, template, url, shown } = await setting({ subject: 'Own', preview_text: 'Own' });
    const { data } = await account.get(url);
    await template.update();
    assert.equal((await account.put(url, { ...data, overrides: ['preview_text'] })).data.subject, 'subject v2');
    await template.update(version('v3'));
    assert.deepEqual(await shown(), ['subject v3', 'Own', ['preview_text']]);
    await account.put(url, { overrides: ['subject', 'preview_text'] });
    await template.update(version('v4'));
    assert.deepEqual(await shown(), ['subject v3', 'Own', ['subject', 'preview_text']], 'listing a field keeps its value');
  });

  await t.test('are what a draft had before it got a template, and end with the template', async () => {
    const { account, template, url, shown } = await setting({ template_id: undefined, subject: 'Own', html: '<p>Own</p>' });
    assert.deepEqual(await shown(), ['Own', null, []]);
    await account.put(url, { template_id: template.id });
    assert.deepEqual(await shown(), ['Own', 'preview v1', ['subject']]);
    const { data: freed } = await account.put(url, { template_id: null, html: '<p>Own</p>' });
    assert.deepEqual([freed.subject, freed.preview_text, freed.overrides], ['Own', 'preview v1', []]);
  });

  await t.test('are needed for the subject once the template has none', async () => {
    const { account, template, url } = await setting();
    await template.update({ subject: null });
    for (const action of ['send', 'preview']) {
      const { status, error } = await account.post(`${url}/${action}`);
      assert.deepEqual([status, error?.details[0].path], [400, '/subject']);
    }
    assert.equal((await account.put(url, { subject: 'Own' })).status, 200);
  });

  await t.test('of an earlier release are the values that the template did not have when the draft was created', async () => {
    const [same, other, bare] = [await setting(), await setting({ subject: 'Own' }), await setting()];
    const campaigns = campaignsOf(parts.mongo.db);
    const ids = [same, other, bare].map(({ created }) => created.id);
    await campaigns.updateMany({ _id: { $in: ids } }, { $unset: { overrides: '' } });
    await campaigns.updateOne({ _id: bare.created.id }, { $set: { preview_text: null } });
    for (const { template } of [same, other, bare]) await template.update();
    assert.deepEqual(await same.shown(), ['subject v1', 'preview v1', ['subject', 'preview_text']], 'as it was, until it is known');
    const once = createRecordOverridesOnce(parts, createTemplatesStore(parts.mongo.db, parts.cursors));
    await once.prepare();
    once.start();
    t.after(() => once.stop());
    await eventually(async () => (await campaigns.countDocuments({ _id: { $in: ids }, overrides: { $exists: true } })) === ids.length);
    assert.deepEqual(await same.shown(), ['subject v2', 'preview v2', []]);
    assert.deepEqual(await other.shown(), ['Own', 'preview v2', ['subject']]);
    assert.deepEqual(await bare.shown(), ['subject v2', null, ['preview_text']], 'it was cleared');
  });
});
