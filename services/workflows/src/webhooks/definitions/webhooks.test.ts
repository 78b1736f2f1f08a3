import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { quietService } from '../../../test/setting.ts';
import { subscribes } from './webhook.ts';

const body = { url: 'https://hooks.example.com/in', events: ['contact.*'] };

test('webhooks', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app, { permission: 'admin', plan: 'enterprise' });
  const created = async (client: ReturnType<typeof testClient>) => (await client.post('/v2/webhooks', body)).data;
  const urlOf =
    (suffix = '') =>
    async (client: ReturnType<typeof testClient>) =>
      `/v2/webhooks/${(await created(client)).id}${suffix}`;

  await guaranteeRoute(t, app, { method: 'POST', scope: 'webhooks:write', url: () => '/v2/webhooks', body });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'webhooks:read', url: () => '/v2/webhooks' });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'webhooks:read', url: () => '/v2/webhooks/event-types' });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'webhooks:read', url: urlOf() });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'webhooks:read', url: urlOf('/deliveries') });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'webhooks:write', url: urlOf(), body: { description: 'CRM' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'webhooks:write', url: urlOf() });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'webhooks:write', url: urlOf('/rotate-secret'), body: { grace_seconds: 60 } });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'webhooks:write', url: urlOf('/test'), body: { type: 'contact.created' } });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'webhooks:write',
    url: urlOf('/replay'),
    body: { since: new Date().toISOString() },
  });

  await t.test('are created with a secret that is shown once and stored encrypted', async () => {
    const response = await account.post('/v2/webhooks', { ...body, headers: { Authorization: 'Bearer topsecret' } });
    assert.equal(response.status, 201, response.text);
    const { secret, ...webhook } = response.data;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(response.headers.location, `/v2/webhooks/${webhook.id}`);
    assert.deepEqual([webhook.status, webhook.header_names, webhook.filter], ['active', ['Authorization'], null]);
    const read = await account.get(`/v2/webhooks/${webhook.id}`);
    assert.deepEqual(read.data, webhook);
    const stored = JSON.stringify(await parts.mongo.db.collection<{ _id: string }>('webhooks').findOne({ _id: webhook.id }));
    assert.ok(!stored.includes('topsecret') && !stored.includes(secret.slice(6)));
  });

  await t.test('get the audit log only if it is named, by a caller who may read it', async () => {
    const narrow = account.as({ scopes: ['webhooks:read', 'webhooks:write', 'contacts:read'] });
    for (const events of [['audit_entry.created'], ['contact.*', 'audit_entry.*']]) {
      const refused = await narrow.post('/v2/webhooks', { ...body, events });
      assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
      assert.match(refused.error.message, /settings:read/);
    }
    const { id } = (await account.post('/v2/webhooks', { ...body, events: ['audit_entry.created'] })).data;
    const moved = await narrow.put(`/v2/webhooks/${id}`, { url: 'https://other.example.com/in' });
    assert.equal(moved.status, 403, 'nor can it be sent elsewhere');
    assert.equal((await narrow.post(`/v2/webhooks/${id}/rotate-secret`, {})).status, 403, 'nor can its secret be learned');
    assert.equal((await account.put(`/v2/webhooks/${id}`, { url: 'https://other.example.com/in' })).status, 200);
    const all = await narrow.post('/v2/webhooks', { ...body, events: ['*'] });
    assert.equal(all.status, 201, all.text);
    assert.ok(!subscribes(all.data, 'audit_entry.created') && subscribes(all.data, 'contact.created'));
  });

  await t.test('return the same secret to a retry with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'create-webhook-1' };
    const [first, second] = [await account.post('/v2/webhooks', body, headers), await account.post('/v2/webhooks', body, headers)];
    assert.deepEqual([second.status, second.data.secret, second.headers['idempotent-replayed']], [201, first.data.secret, 'true']);
  });

  await t.test('can be edited and sent back, and keep the headers that are not sent', async () => {
    const { id } = (await account.post('/v2/webhooks', { ...body, headers: { 'X-Key': 'a' } })).data;
    const { data, headers } = await account.get(`/v2/webhooks/${id}`);
    assert.equal((await account.put(`/v2/webhooks/${id}`, data)).data.revision, 1);
    const filter = {
      all: [{ field: 'data.attributes.plan', op: 'eq', value: 'pro' }, { not: { field: 'cause', op: 'eq', value: 'import' } }],
    };
    const changed = await account.put(`/v2/webhooks/${id}`, { ...data, filter, status: 'disabled' }, { 'if-match': String(headers.etag) });
    assert.equal(changed.status, 200, changed.text);
    const { revision, disabled_reason, header_names } = changed.data;
    assert.deepEqual([revision, disabled_reason, header_names, changed.data.filter], [2, 'manual', ['X-Key'], filter]);
    assert.equal((await account.put(`/v2/webhooks/${id}`, { status: 'active' }, { 'if-match': String(headers.etag) })).status, 412);
    assert.equal((await account.put(`/v2/webhooks/${id}`, { header_names: ['X-Other'] })).error.details[0].code, 'read_only');
  });

  await t.test('reject what could not work, by name', async () => {
    const deep = (levels: number): object => (levels === 0 ? { field: 'cause', op: 'exists' } : { not: deep(levels - 1) });
    const wrong: [object, RegExp][] = [
      [{ url: 'http://hooks.example.com/' }, /https:.*mp webhooks listen or WEBHOOK_ALLOW_PRIVATE=true/],
      [{ url: 'https://10.0.0.1/' }, /public/],
      [{ url: 'https://localhost/' }, /public/],
      [{ url: 'https://user:pass@example.com/' }, /user name/],
      [{ events: ['contact.renamed'] }, /Unknown event type/],
      [{ events: ['other.*'] }, /Unknown event type/],
      [{ events: ['contact.create'] }, /\/events\/0".*Did you mean \\"contact\.created\\"\?/],
      [{ events: ['contacts.*'] }, /Did you mean \\"contact\.\*\\"\?/],
      [{ events: [] }, /events/],
      [{ filter: { field: 'email', op: 'eq', value: 'a' } }, /data\.email/],
      [{ filter: { field: 'data.email', op: 'like', value: 'a' } }, /filter/],
      [{ filter: { field: 'data.emial', op: 'eq', value: 'a' } }, /data\.emial is not a field of .*Did you mean \\"data\.email\\"/],
      [
        { filter: { field: 'data.segment_id', op: 'exists' } },
        /data\.segment_id is not a field of .* but of segment\.entered, segment\.left/,
      ],
      [{ filter: { field: 'data.revision', op: 'eq', value: 'a' } }, /data\.revision is a number/],
      [{ secret: 'mine' }, /Unrecognized key: \\"secret\\"/],
      [{ filter: deep(5) }, /levels/],
      [{ filter: deep(50) }, /levels/],
      [{ headers: { Host: 'x' } }, /the platform sets this header/],
      [{ headers: { 'webhook-id': 'x' } }, /the platform sets this header/],
      [{ headers: { 'X-A': 'a\nb' } }, /ASCII/],
    ];
    for (const [fields, message] of wrong) {
      const response = await account.post('/v2/webhooks', { ...body, ...fields });
      assert.equal(response.status, 400, JSON.stringify(fields));
      assert.match(response.text, message);
    }
  });

  await t.test('reject a change after which no event could pass the filter', async () => {
    const filter = { field: 'data.email', op: 'exists' };
    const { id } = (await account.post('/v2/webhooks', { ...body, filter })).data;
    const changed = await account.put(`/v2/webhooks/${id}`, { events: ['segment.*'] });
    assert.deepEqual([changed.status, changed.error.details[0].path], [400, '/filter/field'], changed.text);
    assert.equal((await account.put(`/v2/webhooks/${id}`, { events: ['segment.*'], filter: null })).status, 200);
    const late = await account.put(`/v2/webhooks/${id}`, { filter });
    assert.match(late.error.message, /data\.email is not a field of .*, but of contact\.created, contact\.updated/);
  });

  await t.test('are limited by plan, even when they are created concurrently', async () => {
    const starter = testClient(app, { permission: 'admin', plan: 'starter' }).patient();
    const responses = await Promise.all(Array.from({ length: 6 }, () => starter.post('/v2/webhooks', body)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 201, 201, 403, 403, 403]);
    assert.equal(responses.find(({ status }) => status === 403)?.error.code, 'PLAN_LIMIT_EXCEEDED');
  });

  await t.test('are listed newest first, page by page', async () => {
    const other = testClient(app, { permission: 'admin', plan: 'enterprise' });
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await created(other)).id);
    const first = (await other.get('/v2/webhooks?limit=2')).data;
    const second = (await other.get(`/v2/webhooks?limit=2&cursor=${first.pagination.next_cursor}`)).data;
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      ids,
    );
  });

  await t.test('list every type of event with an example', async () => {
    const { event_types } = (await account.get('/v2/webhooks/event-types')).data;
    for (const { type, example } of event_types) assert.equal(example.type, type);
    assert.ok(event_types.length >= 19);
  });
});
