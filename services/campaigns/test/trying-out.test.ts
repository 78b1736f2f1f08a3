import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { startNeighbours } from './neighbours.ts';
import { routesOnly, smallest } from './setting.ts';

test('dry run and preview', async (t) => {
  const neighbours = await startNeighbours(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const ada = neighbours.contact(owner.accountId, { email: 'ada@example.com', first_name: 'Ada', address: null });
  const none = neighbours.contact(owner.accountId, { email: null });
  neighbours.contacts(owner.accountId, 250, (index) => ({
    first_name: null,
    ...(index < 7 ? { consent: { email: null, sms: null } } : {}),
  }));
  const vips = neighbours.segment(owner.accountId, [ada]);
  const html = '<p>{{ contact.first_name }} of {{ contact.address.city }}</p>';
  const create = async (body: object = {}) => (await owner.post('/v2/campaigns', { ...smallest, html, ...body })).data.id;
  const written = async () => {
    const names = ['recipients', 'contactables', 'outbox', 'suppressions', 'engagements'];
    return Promise.all(names.map((name) => parts.mongo.db.collection(name).countDocuments()));
  };

  await t.test('tells who would get it and who would not and why, and writes nothing', async () => {
    const id = await create({ audience: { include: ['all'], exclude: [vips] } });
    const before = await written();
    const { status, data } = await owner.post(`/v2/campaigns/${id}/dry-run`);
    assert.deepEqual([status, data.audience_count, data.would_send], [200, 252, 243]);
    const skipped = new Map<string, { count: number; samples: { contact_id: string }[] }>(
      data.skipped.map((one: { reason: string }) => [one.reason, one]),
    );
    assert.deepEqual([skipped.get('pending_opt_in')?.count, skipped.get('pending_opt_in')?.samples.length], [7, 5]);
    assert.deepEqual(skipped.get('no_address')?.samples[0]?.contact_id, none.id);
    assert.deepEqual(skipped.get('excluded')?.samples[0]?.contact_id, ada.id);
    assert.deepEqual([data.samples.length, data.samples[0].missing_fields], [5, ['contact.first_name', 'contact.address.city']]);
    assert.match(data.samples[0].html, /<p> of <\/p>/);
    assert.deepEqual(await written(), before);
    assert.equal((await owner.get(`/v2/campaigns/${id}`)).data.status, 'draft');
  });

  await t.test('renders for a contact, for made-up fields and for nobody', async () => {
    const id = await create();
    const preview = (body: object) => owner.post(`/v2/campaigns/${id}/preview`, body);
    const own = (await preview({ contact_id: ada.id })).data;
    assert.deepEqual([own.subject, own.missing_fields], ['Hi Ada', ['contact.address.city']]);
    assert.match(own.text, /Ada of/);
    const made = (await preview({ sample: { first_name: '<b>Bo</b>', address: { city: 'Bonn' } } })).data;
    assert.match(made.html, /&lt;b&gt;Bo&lt;\/b&gt; of Bonn/);
    assert.deepEqual(made.missing_fields, []);
    assert.equal((await preview({})).data.subject, 'Hi');
    const unknown = await preview({ contact_id: newId('contact') });
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/contact_id']);
    assert.equal((await preview({ contact_id: ada.id, sample: {} })).status, 400);
    assert.equal((await testClient(app).post('/v2/campaigns', smallest)).status, 201);
  });

  await t.test('tells why somebody is not in the audience', async () => {
    const id = await create({ audience: { include: [vips] } });
    const draft = (await owner.get(`/v2/campaigns/${id}/messages/${ada.id}`)).data;
    assert.deepEqual([draft.recipient, draft.engagements], [null, []]);
    assert.match(draft.explanation, /draft/);
    assert.equal((await owner.get(`/v2/campaigns/${id}/messages/${newId('contact')}`)).status, 404);
  });
});
