import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, knownContact } from '../../test/setting.ts';
import { buildApp } from '../app.ts';
import { readHook, signHook } from './hook-token.ts';

const hooked = (trigger: object = {}) => ({
  name: 'Paid',
  trigger: { type: 'webhook_received', contact: { email: '/customer/email' }, ...trigger },
  steps: [{ id: 'wait', type: 'delay', for: 'P1D' }],
});

test('the inbound URL of a workflow', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const create = async (trigger: object = {}, client = account) => {
    const { status, data, text } = await client.post('/v2/workflows', hooked(trigger));
    assert.equal(status, 201, text);
    return String(data.id);
  };
  const admin = account.as({ permission: 'admin' });
  const pathOf = async (id: string) => String((await admin.get(`/v2/workflows/${id}/hook`)).data.path);
  const post = async (url: string, payload: object, headers = {}) => {
    const response = await app.inject({ method: 'POST', url, payload, headers });
    return { status: response.statusCode, ...response.json() };
  };
  const buyer = async () => {
    const email = `${newId('contact')}@example.com`;
    return { email, id: await knownContact(parts, account.accountId, email) };
  };
  const runs = (workflow_id: string) => parts.mongo.db.collection('runs').countDocuments({ workflow_id });

  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'settings:read',
    url: async (client) => `/v2/workflows/${await create({}, client)}/hook`,
  });

  await t.test('does not exist without a token', async () => {
    for (const url of ['/t/hooks', '/t/hooks/', '/t/hooks/none/', '/t/none'])
      for (const method of ['GET', 'POST'] as const) assert.equal((await app.inject({ method, url })).statusCode, 404, `${method} ${url}`);
  });

  await t.test('starts a run without a key, for the contact that the body names, with the body as its data', async () => {
    const id = await create();
    const { email, id: contactId } = await buyer();
    const body = { customer: { email: email.toUpperCase() }, total: 120 };
    const { status, data } = await post(await pathOf(id), body);
    assert.deepEqual([status, data.started], [202, true]);
    const { data: run } = await account.get(`/v2/workflows/runs/${data.run_id}`);
    assert.deepEqual([run.contact_id, run.data, run.trigger.type], [contactId, body, 'webhook_received']);
    const again = await post(await pathOf(id), body);
    assert.deepEqual([again.status, again.data], [202, { run_id: data.run_id, started: false }], 'the entry policy');

    const byId = await create({ contact: { contact_id: '/id' } });
    assert.equal((await post(await pathOf(byId), { id: contactId })).data.started, true);
  });

  await t.test('starts one run for a request that is repeated with its key, even concurrently', async () => {
    const { data } = await account.post('/v2/workflows', { ...hooked(), entry: { policy: 'every_time' } });
    const { email } = await buyer();
    const path = await pathOf(data.id);
    const sends = [{ 'webhook-id': 'msg_1' }, { 'webhook-id': 'msg_1' }, { 'idempotency-key': 'msg_1' }];
    const responses = await Promise.all(sends.map((headers) => post(path, { customer: { email } }, headers)));
    assert.equal(new Set(responses.map(({ data }) => data.run_id)).size, 1, JSON.stringify(responses));
    assert.equal(await runs(data.id), 1);
    await post(path, { customer: { email } }, { 'webhook-id': 'msg_2' });
    assert.equal(await runs(data.id), 2);
  });

  await t.test('starts a run for each of 15 requests at once for one contact, beside 5 through the API', async () => {
    const { data } = await account.post('/v2/workflows', { ...hooked(), entry: { policy: 'every_time' } });
    const { email, id } = await buyer();
    const path = await pathOf(data.id);
    const received = Array.from({ length: 15 }, () => post(path, { customer: { email } }));
    const triggered = Array.from({ length: 5 }, () => account.post(`/v2/workflows/${data.id}/trigger`, { contact_id: id }));
    const statuses = (await Promise.all([...received, ...triggered])).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], [202]);
    assert.equal(await runs(data.id), 20);
  });

  await t.test('names where the contact is missing or unknown, and rejects other bodies', async () => {
    const path = await pathOf(await create());
    const [missing, unknown] = [await post(path, { total: 1 }), await post(path, { customer: { email: 'eve@example.com' } })];
    assert.deepEqual(
      [missing, unknown].map(({ status, error }) => [status, error.details[0].path, error.details[0].code]),
      [
        [400, '/customer/email', 'invalid_format'],
        [400, '/customer/email', 'unknown_contact'],
      ],
    );
    assert.equal((await post(path, [])).status, 400);
    const { email } = await buyer();
    assert.equal((await post(path, { customer: { email }, text: 'x'.repeat(17_000) })).status, 400);
  });

  await t.test('stops working when its generation is raised, and does nothing while the workflow is paused', async () => {
    const id = await create();
    const body = { customer: { email: (await buyer()).email } };
    const old = await pathOf(id);
    await account.put(`/v2/workflows/${id}`, { trigger: hooked({ generation: 2 }).trigger });
    assert.equal((await post(old, body)).status, 404);
    const path = await pathOf(id);
    await account.post(`/v2/workflows/${id}/pause`, {});
    assert.deepEqual([(await post(path, body)).error.code, await runs(id)], ['INVALID_STATE', 0]);
    await account.post(`/v2/workflows/${id}/activate`, {});
    assert.equal((await post(path, body)).status, 202);
    await account.put(`/v2/workflows/${id}`, { trigger: { type: 'manual' } });
    assert.equal((await post(path, body)).status, 404);
    assert.equal((await admin.get(`/v2/workflows/${id}/hook`)).error.code, 'NOT_FOUND');
  });

  await t.test('is charged to its account, for each request to a URL that works', async () => {
    const id = await create();
    const [path, body] = [await pathOf(id), { customer: { email: (await buyer()).email } }];
    const requests: unknown[] = [];
    const respondWith = (reply: ReturnType<typeof play.charge>) => {
      play.charge = (request) => {
        if (request.account_id === account.accountId) requests.push(request);
        return reply;
      };
    };
    const refused = { code: 'QUOTA_EXCEEDED' as const, message: 'Exhausted.', retry_after: 7, details: [{ limit: 10 }] };
    respondWith({ headers: { 'x-ratelimit-remaining': '0' }, refused });
    const response = await app.inject({ method: 'POST', url: path, payload: body });
    const { error } = response.json();
    assert.deepEqual(
      [response.statusCode, response.headers['retry-after'], response.headers['x-ratelimit-remaining'], error.code, error.details],
      [429, '7', '0', 'QUOTA_EXCEEDED', [{ limit: 10 }]],
    );
    assert.equal(await runs(id), 0);
    assert.equal((await post(`${path}x`, body)).status, 404);
    respondWith({ headers: { 'x-ratelimit-remaining': '9' }, refused: null });
    const accepted = await app.inject({ method: 'POST', url: path, payload: body });
    assert.deepEqual([accepted.statusCode, accepted.headers['x-ratelimit-remaining']], [202, '9']);
    assert.deepEqual(requests, Array(2).fill({ account_id: account.accountId, url_of: id }));
    respondWith(undefined);
    assert.equal((await post(path, body)).status, 202, 'the gateway is unavailable');
    respondWith({ headers: {}, refused: null });
  });

  await t.test('accepts a limited rate, which neither the URLs of other workflows nor its successor share', async () => {
    const [id, other] = [await create(), await create()];
    const body = { customer: { email: (await buyer()).email } };
    const [old, foreign] = [await pathOf(id), await pathOf(other)];
    await account.put(`/v2/workflows/${id}`, { trigger: hooked({ generation: 2 }).trigger });
    const flood = await Promise.all(Array.from({ length: 120 }, () => app.inject({ method: 'POST', url: old, payload: body })));
    const limited = flood.filter(({ statusCode }) => statusCode === 429);
    assert.ok(limited.length > 0 && flood.every(({ statusCode }) => statusCode === 404 || statusCode === 429));
    assert.deepEqual([limited[0]?.json().error.code, limited[0]?.headers['retry-after']], ['RATE_LIMITED', '1']);
    assert.deepEqual([(await post(foreign, body)).status, (await post(await pathOf(id), body)).status], [202, 202]);
  });

  await t.test('is a secret that only administrators can read', async () => {
    assert.equal((await account.get(`/v2/workflows/${await create()}/hook`)).status, 403);
  });

  await t.test('cannot be guessed: any change of the token is a 404', async () => {
    const path = await pathOf(await create());
    const token = path.slice('/t/hooks/'.length);
    const named = readHook(config.WEBHOOK_KEYS, token);
    assert.ok(named);
    assert.equal(signHook(config.WEBHOOK_KEYS, named), token);
    for (const changed of [`${token}A`, token.slice(0, -1), `${token.slice(0, 5)}${token[5] === 'a' ? 'b' : 'a'}${token.slice(6)}`, 'x']) {
      assert.equal((await post(`/t/hooks/${changed}`, { customer: { email: 'a@example.com' } })).status, 404);
    }
  });

  await t.test('needs a place where the body names the contact', async () => {
    for (const contact of [{}, { email: 'email' }, { email: '/a', contact_id: '/b' }]) {
      const { status, error } = await account.post('/v2/workflows', hooked({ contact }));
      assert.equal(status, 400);
      assert.match(error.details[0].path, /^\/trigger\/contact/);
    }
  });

  await t.test('starts nothing for a suspended account', async () => {
    const path = await pathOf(await create());
    const body = { customer: { email: (await buyer()).email } };
    await play.setStatus(account.accountId, 'suspended', 2);
    await eventually(async () => (await post(path, body)).error?.code === 'ACCOUNT_SUSPENDED');
  });
});
