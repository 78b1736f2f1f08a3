import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest, startSetting } from './setting.ts';

const html = '<p>{{ contact.attributes.plan }} {{ contact.attributes.plna }} {{ contact.first_name }}</p>';
const warning = {
  code: 'unknown_attribute',
  message: 'No contact of the account has ever had the attribute plna, which the email reads as contact.attributes.plna.',
};
const templates = '/v2/campaigns/templates';

test('an attribute that no contact has ever had is a warning', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const account = testClient(app);
  neighbours.contact(account.accountId);
  neighbours.attribute(account.accountId, 'plan');

  await t.test('when a template is created, changed or rendered, until it is corrected', async () => {
    const created = await account.post(templates, { name: 'Welcome', subject: 'Hi', html });
    assert.deepEqual([created.status, created.data.warnings], [201, [warning]], created.text);
    const one = `${templates}/${created.data.id}`;
    assert.deepEqual((await account.post(`${one}/preview`)).data.warnings, [warning]);
    const unchanged = await account.put(one, created.data);
    assert.deepEqual([unchanged.status, unchanged.data.revision, unchanged.data.warnings], [200, 1, [warning]], unchanged.text);
    assert.deepEqual((await account.put(one, { html: html.replace('plna', 'plan') })).data.warnings, []);
    assert.deepEqual((await account.post(`${one}/preview`)).data.warnings, []);
  });

  await t.test('when an email that is not saved, or a campaign, is rendered', async () => {
    assert.deepEqual((await account.post('/v2/campaigns/preview', { subject: 'Hi', html })).data.warnings, [warning]);
    const { id } = (await account.post('/v2/campaigns', { ...smallest, html })).data;
    assert.deepEqual((await account.post(`/v2/campaigns/${id}/preview`)).data.warnings, [warning]);
  });

  await t.test('when a message is sent with content of its own, but not on every message of a template', async () => {
    const message = { to: { email: 'ada@example.com' }, from: { email: 'shop@example.com' } };
    const sent = await account.post('/v2/campaigns/messages', { ...message, content: { subject: 'Order', html } });
    assert.deepEqual([sent.status, sent.data.warnings], [202, [warning]], sent.text);
    const { id } = (await account.post(templates, { name: 'Order', subject: 'Order', html })).data;
    assert.deepEqual((await account.post('/v2/campaigns/messages', { ...message, template_id: id })).data.warnings, []);
  });
});

test('without a reply from contacts, templates are saved and rendered without warnings', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly(), { live: true });
  await parts.broker.connected();
  const account = testClient(app);
  const created = await account.post(templates, { name: newId('template'), subject: 'Hi', html });
  assert.deepEqual([created.status, created.data.warnings], [201, []], created.text);
  assert.deepEqual((await account.post(`${templates}/${created.data.id}/preview`)).data.warnings, []);
});
