import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys, testParts, testService } from '@mp/test-kit/test-parts';
import { startNeighbours } from './neighbours.ts';
import { routesOnly, type Setting, smallest } from './setting.ts';

const connections = (app: Setting['app']) =>
  new Promise<number>((resolve, reject) => app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

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

  await t.test('reports the contacts that would and would not be emailed, with reasons, and writes nothing', async () => {
    const id = await create({ audience: { include: ['all'], exclude: [vips] } });
    const before = await written();
    const { status, data } = await owner.post(`/v2/campaigns/${id}/dry-run`);
    assert.deepEqual([status, data.exact, data.audience_count, data.would_send], [200, true, 252, 243]);
    const skipped = new Map<string, { count: number; samples: { contact_id: string }[] }>(
      data.skipped.map((one: { reason: string }) => [one.reason, one]),
    );
    assert.deepEqual([skipped.get('pending_opt_in')?.count, skipped.get('pending_opt_in')?.samples.length], [7, 5]);
    assert.deepEqual(skipped.get('no_address')?.samples[0]?.contact_id, none.id);
    assert.deepEqual(skipped.get('excluded')?.samples[0]?.contact_id, ada.id);
    assert.deepEqual([data.samples.length, data.samples[0].missing_fields], [5, ['contact.first_name', 'contact.address.city']]);
    assert.match(data.samples[0].html, /<p> of <\/p>/);
    assert.deepEqual(data.missing_fields.find(({ field }: { field: string }) => field === 'contact.address.city')?.count, 243);
    assert.deepEqual(await written(), before);
    assert.equal((await owner.get(`/v2/campaigns/${id}`)).data.status, 'draft');
  });

  await t.test('reports every template error, not only those of the samples', async () => {
    const other = testClient(app);
    neighbours.contacts(other.accountId, 40, (index) => ({
      attributes: { site: index === 30 || index === 35 ? 'javascript:x' : 'https://a.b' },
    }));
    const body = {
      ...smallest,
      html: '<p><a href="{{ contact.attributes.site }}">x</a></p>',
    };
    const { id } = (await other.post('/v2/campaigns', body)).data;
    const { data } = await other.post(`/v2/campaigns/${id}/dry-run`);
    assert.deepEqual([data.exact, data.audience_count, data.rendered, data.would_send], [true, 40, 40, 38]);
    const [{ reason, count, samples }] = data.skipped;
    assert.deepEqual([reason, count, samples.length], ['template_error', 2, 2]);
    assert.match(samples[0].error, /^\/html: .*javascript:/);
    assert.equal(data.samples.length, 5);
  });

  await t.test('reports partial counts when the time runs out', async () => {
    const { app: hasty } = await testService(t, parts, routesOnly({ timings: { dryRunMs: 0 } }));
    const id = await create();
    const { data } = await testClient(hasty, { account_id: owner.accountId }).post(`/v2/campaigns/${id}/dry-run`);
    assert.deepEqual([data.exact, data.audience_count], [false, 200]);
  });

  await t.test('runs one at a time per account, and ends when its client disconnects', async () => {
    const id = await create();
    const path = `/v2/campaigns/${id}/dry-run`;
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}${path}`;
    const context = {
      account_id: owner.accountId,
      principal_id: newId('key'),
      permission: 'read_write' as const,
      scopes: null,
      request_id: newId('request'),
      expires_at: Date.now() + 60_000,
    };
    const leaving = new AbortController();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    neighbours.audience.pages = 0;
    neighbours.audience.beforePage = () => {
      begun.resolve();
      return goOn.promise;
    };
    const left = fetch(url, {
      method: 'POST',
      headers: { [contextHeader]: signContext(contextKeys, context, 'POST', path) },
      signal: leaving.signal,
    }).catch(() => 'left');
    await begun.promise;
    const second = await owner.post(path);
    assert.deepEqual([second.status, second.error.code, second.headers['retry-after']], [429, 'RATE_LIMITED', '2']);
    leaving.abort();
    assert.equal(await left, 'left');
    await eventually(async () => (await connections(app)) === 0);
    goOn.resolve();
    const after = await eventually(async () => {
      const response = await owner.post(path);
      return response.status === 200 && response;
    });
    assert.equal(after.data.audience_count, 252);
    assert.equal(neighbours.audience.pages, 1 + 2, 'one page for the client that left, two for the other');
  });

  await t.test('renders for a contact, for sample fields and for empty fields', async () => {
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
    const template = (await owner.post('/v2/campaigns/templates', { name: 'News', html, subject: 'Hi {{ contact.first_name }}' })).data;
    const ofTemplate = await owner.post(`/v2/campaigns/templates/${template.id}/preview`, { contact_id: ada.id });
    assert.deepEqual([ofTemplate.data.subject, ofTemplate.data.missing_fields], ['Hi Ada', ['contact.address.city']]);
    assert.deepEqual(ofTemplate.data.fields, ['contact.first_name', 'contact.address.city']);
    assert.equal((await testClient(app).post('/v2/campaigns', smallest)).status, 201);
  });

  await t.test('explains why a contact is not in the audience', async () => {
    const id = await create({ audience: { include: [vips] } });
    const draft = (await owner.get(`/v2/campaigns/${id}/messages/${ada.id}`)).data;
    assert.deepEqual([draft.recipient, draft.engagements], [null, []]);
    assert.match(draft.explanation, /draft/);
    assert.equal((await owner.get(`/v2/campaigns/${id}/messages/${newId('contact')}`)).status, 404);
  });
});
