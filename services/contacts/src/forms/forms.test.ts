import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignTemplate } from '@mp/contracts/requests/campaigns';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { aForm, newsletter } from '../../test/forms.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';

test('forms', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const url =
    (suffix = '') =>
    async (client: Client) =>
      `${path}/${(await client.post(path, aForm())).data.id}${suffix}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => path, body: aForm() });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: url() });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'contacts:write', url: url(), body: { name: 'Another name' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'contacts:write', url: url() });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: url('/versions') });
  for (const verb of ['/archive', '/restore'])
    await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: url(verb), body: {} });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: url('/duplicate'), body: { name: 'A copy' } });

  const created = async (account: Client, body: object = {}) => {
    const { status, data, text } = await account.post(path, { ...aForm(), ...body });
    assert.equal(status, 201, text);
    return data;
  };

  await t.test('a role with limits makes, changes, copies and restores only forms whose confirmations it may send', async () => {
    const account = testClient(app);
    const sender = { email: 'news@example.com' };
    const { id } = await created(account, { sender });
    const limited = (senders: string[]) => account.as({ principal_id: newId('user'), sending_limits: { topics: null, senders } });
    const tries = async (client: Client) => [
      (await client.post(path, { ...aForm(), name: newId('form'), sender })).status,
      (await client.put(`${path}/${id}`, { name: newId('form') })).status,
      (await client.post(`${path}/${id}/duplicate`, { name: newId('form') })).status,
    ];
    assert.deepEqual(await tries(limited(['@other.example'])), [403, 403, 403]);
    assert.deepEqual(await tries(limited(['@example.com'])), [201, 200, 201]);
    assert.equal((await limited(['@other.example']).post(`${path}/${id}/archive`)).status, 200, 'it may stop one');
    assert.equal((await limited(['@other.example']).post(`${path}/${id}/restore`)).status, 403);
    const single = { ...aForm(), name: newId('form'), sender, double_opt_in: { enabled: false } };
    assert.equal((await limited(['@other.example']).post(path, single)).status, 201, 'it sends nothing');
  });

  await t.test('begin with double opt-in, no overwriting and no other origin; PUT changes the members it names', async () => {
    const account = testClient(app);
    const form = await created(account);
    assert.deepEqual(
      [form.double_opt_in, form.overwrite, form.allowed_origins, form.status, form.version, form.revision],
      [{ enabled: true, template_id: null, reminder: false }, false, [], 'active', 1, 1],
    );
    assert.equal(form.url, `http://localhost:8080/f/${form.id}`);
    const got = await account.get(`${path}/${form.id}`);
    assert.deepEqual([got.data, got.headers.etag], [form, '"1"']);
    assert.equal((await account.put(`${path}/${form.id}`, form)).data.revision, 1, 'a form from GET can be sent back');
    const { data: limited } = await account.put(`${path}/${form.id}`, { limits: { confirmations_per_hour: 5 } });
    assert.deepEqual(
      [limited.limits, limited.version, limited.revision],
      [{ submissions_per_hour: 1_000, confirmations_per_hour: 5 }, 1, 2],
    );
    const { data: worded } = await account.put(`${path}/${form.id}`, { consents: newsletter({ text: { en: 'Other words' } }) });
    assert.deepEqual([worded.version, worded.revision, worded.limits], [2, 3, limited.limits]);
    const { data: versions } = await account.get(`${path}/${form.id}/versions`);
    assert.deepEqual(
      versions.items.map(({ version, consents }: { version: number; consents: { text: object }[] }) => [version, consents[0]?.text]),
      [
        [2, { en: 'Other words' }],
        [1, form.consents[0].text],
      ],
    );
    assert.equal((await account.put(`${path}/${form.id}`, { name: 'X' }, { 'if-match': '"1"' })).status, 412);
    assert.equal((await account.put(`${path}/${form.id}`, { version: 7 })).status, 400);
  });

  await t.test('have their address on the host of forms, if the installation has one', async (t) => {
    const own = await testParts(t, 'contacts');
    const config = { LINK_KEYS: own.contextKeys, PUBLIC_URL: 'https://marketing.example', FORMS_URL: 'https://forms.example' };
    const { app: elsewhere } = await testService(t, own, (these) => buildApp(these, config));
    const account = testClient(elsewhere);
    const form = await created(account);
    assert.equal(form.url, `https://forms.example/f/${form.id}`);
    assert.equal((await account.get(path)).data.items[0].url, form.url);
    const moved = await account.put(`${path}/${form.id}`, { ...form, url: `https://marketing.example/f/${form.id}` });
    assert.deepEqual([moved.status, moved.data], [200, form], 'an address from before the host was set changes nothing');
  });

  await t.test('are archived and restored, duplicated and deleted; an archived form is not listed', async () => {
    const account = testClient(app);
    const form = await created(account);
    const listed = async (query = '') => (await account.get(`${path}${query}`)).data.items.map(({ id }: { id: string }) => id);
    const { data: archived } = await account.post(`${path}/${form.id}/archive`);
    assert.deepEqual([archived.status, archived.revision, archived.version], ['archived', 2, 1]);
    assert.equal((await account.post(`${path}/${form.id}/archive`)).data.revision, 2, 'archiving again changes nothing');
    assert.deepEqual([await listed(), await listed('?status=archived')], [[], [form.id]]);
    const { status, data: copy } = await account.post(`${path}/${form.id}/duplicate`, { name: 'Copy' });
    assert.deepEqual([status, copy.name, copy.status, copy.revision, copy.fields], [201, 'Copy', 'active', 1, form.fields]);
    assert.equal((await account.post(`${path}/${form.id}/restore`)).data.status, 'active');
    assert.equal((await account.post(`${path}/${form.id}/duplicate`, { name: 'Copy' })).error.code, 'CONFLICT');
    assert.equal((await account.delete(`${path}/${form.id}`)).status, 200);
    assert.equal((await account.delete(`${path}/${form.id}`)).status, 404);
    assert.deepEqual(await listed(), [copy.id]);
  });

  await t.test('reject what could not be shown, submitted or confirmed, and name it', async () => {
    const account = testClient(app);
    const [email] = aForm().fields;
    const name = { field: 'first_name', type: 'text', label: { en: 'Name' } };
    for (const [wrong, at] of [
      [{ fields: [name] }, '/fields'],
      [{ fields: [{ ...email, required: false }] }, '/fields'],
      [{ fields: [email, email] }, '/fields'],
      [{ fields: [email, { ...name, field: 'external_id' }] }, '/fields/1/field'],
      [{ fields: [email, { ...name, field: 'attributes.no spaces' }] }, '/fields/1/field'],
      [{ fields: [email, { ...name, type: 'checkbox' }] }, '/fields/1/type'],
      [{ fields: [email, { ...name, type: 'select' }] }, '/fields/1/options'],
      [{ fields: [email, { ...name, label: {} }] }, '/fields/1/label'],
      [{ fields: [email, { ...name, label: { xx: 'Name' } }] }, '/fields/1/label'],
      [{ consents: [...newsletter(), ...newsletter()] }, '/consents'],
      [{ consents: newsletter({ channel: 'sms' }) }, '/fields'],
      [{ sender: null }, '/sender'],
      [{ after_submission: { kind: 'redirect', url: 'http://example.com' } }, '/after_submission/url'],
      [{ after_submission: { kind: 'redirect', url: 'javascript:alert(1)' } }, '/after_submission/url'],
      [{ look: { css: '</style><script>' } }, '/look/css'],
      [{ look: { primary: 'red' } }, '/look/primary'],
      [{ look: { logo_url: 'data:text/html,x' } }, '/look/logo_url'],
      [{ allowed_origins: ['https://example.com/path'] }, '/allowed_origins/0'],
      [{ double_opt_in: { template_id: 'nonsense' } }, '/double_opt_in/template_id'],
      [{ segment_id: 'nonsense' }, '/segment_id'],
    ] as const) {
      const { status, error } = await account.post(path, { ...aForm(), ...wrong });
      assert.equal(status, 400, JSON.stringify(wrong));
      assert.ok(error.details[0].path.startsWith(at), `${error.details[0].path} for ${JSON.stringify(wrong)}`);
    }
  });

  await t.test('refer only to a static segment and to a template with the link, which are checked when they change', async () => {
    const account = testClient(app);
    const [segment_id, template_id, bare] = [newId('segment'), newId('template'), newId('template')];
    await parts.broker.reply(SegmentMembersAdd, async ({ segment_id: requestedId }) => ({
      refused: requestedId === segment_id ? null : 'The segment is dynamic.',
      items: [],
    }));
    await parts.broker.reply(CampaignTemplate, async ({ template_id: requestedId }) => {
      const html = requestedId === bare ? '<p>Hello</p>' : '<a href="{{ data.confirm_url }}">Confirm</a>';
      return { template: { version: 1, content: { subject: 'Please confirm', preview_text: null, html, text: null } } };
    });
    const form = await created(account, { segment_id, double_opt_in: { template_id } });
    assert.deepEqual([form.segment_id, form.double_opt_in], [segment_id, { enabled: true, template_id, reminder: false }]);
    const dynamic = await account.put(`${path}/${form.id}`, { segment_id: newId('segment') });
    assert.deepEqual([dynamic.status, dynamic.error.details[0].path], [400, '/segment_id']);
    const without = await account.put(`${path}/${form.id}`, { double_opt_in: { template_id: bare } });
    assert.deepEqual([without.status, without.error.details[0].code], [400, 'no_confirm_link']);
  });
});
