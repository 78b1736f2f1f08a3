import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated } from '@mp/contracts/events/contacts';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('POST /v2/contacts', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const client = () => testClient(app);
  const events = async (accountId: AccountId) => (await writtenEvents(parts.mongo.db, { accountId })).length;

  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => '/v2/contacts', body: { email: 'ada@example.com' } });

  await t.test('creates the contact and its event together', async () => {
    const account = client();
    const response = await account.post('/v2/contacts', { email: ' Ada@Example.com ', first_name: 'Ada', tags: ['vip', 'vip'] });
    assert.equal(response.status, 201);
    assert.match(response.data.id, /^contact_[0-9a-z]{26}$/);
    assert.equal(response.headers.location, `/v2/contacts/${response.data.id}`);
    assert.equal(response.headers.etag, '"1"');
    assert.equal(response.data.email, 'Ada@Example.com');
    assert.deepEqual(response.data.tags, ['vip']);
    assert.equal(response.data.consent.email.status, 'subscribed');
    assert.match(response.data.created_at, /^\d{4}-\d\d-\d\dT.*Z$/);
    const [row] = await writtenEvents(parts.mongo.db, { accountId: account.accountId });
    assert.equal(row?.subject, ContactCreated.subject);
    assert.deepEqual(row?.envelope.data.contact, response.data);
    assert.equal(row?.envelope.correlation_id, response.headers['x-request-id']);
  });

  await t.test('says in plain words what is wrong with tags, attributes and keys, and what would be right', async () => {
    const said = async (body: object) => {
      const { status, error } = await client().post('/v2/contacts', { email: 'a@example.com', ...body });
      return [status, error.details[0].path, error.details[0].message];
    };
    assert.deepEqual(await said({ tags: 'vip' }), [400, '/tags', 'Expected a list, not text. Send ["vip"] for one item.']);
    assert.deepEqual(await said({ attributes: { plan: { name: 'pro' } } }), [
      ...[400, '/attributes/plan'],
      'Attributes are not nested: expected text, a number, true, false or a list of texts. Use a key for each part, such as plan_name.',
    ]);
    assert.match(String((await said({ attributes: { langs: [{ code: 'en' }] } }))[2]), /^A list in an attribute has at most 100 texts/);
    assert.deepEqual(await said({ attributes: { 'a b': 1 } }), [400, '/attributes/a b', 'expected up to 64 letters, digits, _ or -']);
  });

  await t.test('accepts the smallest request, with only an email, phone or external id', async () => {
    const account = client();
    for (const body of [{ email: 'a@example.com' }, { phone: '+49 30 901820' }, { external_id: 'crm-1' }]) {
      assert.equal((await account.post('/v2/contacts', body)).status, 201);
    }
    const none = await account.post('/v2/contacts', { first_name: 'Nobody' });
    assert.deepEqual([none.status, none.error.details[0].path], [400, '/email']);
    assert.equal((await account.post('/v2/contacts', '')).status, 400);
  });

  await t.test('names the path of an unknown field, wherever it is', async () => {
    const account = client();
    const refused = async (path: string, body: object) => (await account.post(path, body)).error.details[0].path;
    assert.equal(await refused('/v2/contacts', { email: 'a@example.com', emial: 'a' }), '/emial');
    assert.equal(await refused('/v2/contacts', { email: 'a@example.com', address: { town: 'Ulm' } }), '/address/town');
    assert.equal(await refused('/v2/contacts?mtach_on=email', { email: 'a@example.com' }), '/query/mtach_on');
  });

  await t.test('accepts an address of the maximum length, and treats an internationalised domain as equal to its DNS form', async () => {
    const account = client();
    const longest = `ada@${'b'.repeat(60)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(57)}.com`;
    assert.deepEqual([longest.length, (await account.post('/v2/contacts', { email: longest })).status], [254, 201]);
    assert.equal((await account.post('/v2/contacts', { email: 'ada@Bücher.example' })).data.email, 'ada@Bücher.example');
    assert.equal((await account.post('/v2/contacts', { email: 'ADA@xn--bcher-kva.example' })).status, 409);
  });

  await t.test('rejects a second contact with the same email in any case, names the first, and publishes nothing', async () => {
    const account = client();
    const first = await account.post('/v2/contacts', { email: 'ada@example.com' });
    const second = await account.post('/v2/contacts', { email: 'ADA@example.COM' });
    assert.deepEqual([second.status, second.error.code], [409, 'CONFLICT']);
    assert.equal(second.error.details[0].existing_id, first.data.id);
    assert.equal(await events(account.accountId), 1);
    const blind = await account.as({ scopes: ['contacts:write'] }).post('/v2/contacts', { email: 'ada@example.com' });
    assert.equal(blind.status, 409);
    assert.ok(!blind.text.includes(first.data.id), 'a caller that cannot read contacts does not get the id');
    assert.equal((await client().post('/v2/contacts', { email: 'ada@example.com' })).status, 201, 'another account has its own contacts');
  });

  await t.test('returns the first response to retries, even concurrent ones', async () => {
    const account = client().patient();
    const retry = { 'idempotency-key': 'k1' };
    const responses = await Promise.all(Array.from({ length: 8 }, () => account.post('/v2/contacts', { email: 'bo@example.com' }, retry)));
    responses.push(await account.post('/v2/contacts', { email: 'bo@example.com' }, { 'idempotency-key': '"k1"' }));
    for (const response of responses) {
      assert.equal(response.status, 201);
      assert.deepEqual(response.data, responses[0]?.data);
      assert.equal(response.headers.location, responses[0]?.headers.location);
    }
    assert.equal(responses.filter((response) => response.headers['idempotent-replayed'] === 'true').length, 8);
    assert.equal(new Set(responses.map((response) => response.headers['x-request-id'])).size, 9);
    assert.equal(await events(account.accountId), 1);
  });

  await t.test('rejects a used or malformed Idempotency-Key; another account can use the same one', async () => {
    const account = client();
    const retry = { 'idempotency-key': 'k2' };
    assert.equal((await account.post('/v2/contacts', { email: 'cy@example.com' }, retry)).status, 201);
    const reused = await account.post('/v2/contacts', { email: 'di@example.com' }, retry);
    assert.deepEqual([reused.status, reused.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal((await client().post('/v2/contacts', { email: 'di@example.com' }, retry)).status, 201);
    assert.equal((await account.post('/v2/contacts', { email: 'ed@example.com' }, { 'idempotency-key': 'a b' })).status, 400);
  });

  await t.test('does not store a rejected request', async () => {
    const account = client();
    const retry = { 'idempotency-key': 'k3' };
    assert.equal((await account.post('/v2/contacts', { email: 'nope' }, retry)).status, 400);
    assert.equal((await account.post('/v2/contacts', { email: 'yes@example.com' }, retry)).status, 201);
  });

  await t.test('names each invalid field and what is expected', async () => {
    const wrong: [object, string][] = [
      [{ email: 'nope' }, '/email'],
      [{ email: 'Ada <ada@example.com>' }, '/email'],
      [{ email: '"ada lovelace"@example.com' }, '/email'],
      [{ email: 'ada @example.com' }, '/email'],
      [{ email: 'ada@example..com' }, '/email'],
      [{ email: `ada@${'b'.repeat(60)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(58)}.com` }, '/email'],
      [{ phone: '030 901820' }, '/phone'],
      [{ email: 'a@example.com', tags: Array.from({ length: 101 }, (_, index) => `t${index}`) }, '/tags'],
      [{ email: 'a@example.com', tags: ['x'.repeat(65)] }, '/tags/0'],
      [{ email: 'a@example.com', consent: { email: { status: 'subscribed', at: '2026-02-30T00:00:00Z' } } }, '/consent/email/at'],
      [{ email: 'a@example.com', timezone: 'Mars/Olympus' }, '/timezone'],
      [{ email: 'a@example.com', timezone: '+01:00' }, '/timezone'],
      [{ email: 'a@example.com', locale: '!' }, '/locale'],
      [{ email: 'a@example.com', address: { country: 'Germany' } }, '/address/country'],
      [{ email: 'a@example.com', address: { country: 'XX' } }, '/address/country'],
      [{ email: 'a@example.com', attributes: { $where: '1' } }, '/attributes/$where'],
      [{ email: 'a@example.com', attributes: { plan: { nested: 1 } } }, '/attributes/plan'],
      [{ email: 'a@example.com', consent: { email: { status: 'maybe' } } }, '/consent/email/status'],
      [{ email: ['a@example.com'] }, '/email'],
      [{ email: { $gt: '' } }, '/email'],
    ];
    const account = client();
    for (const [body, path] of wrong) {
      const response = await account.post('/v2/contacts', body);
      assert.deepEqual([response.status, response.error.code, response.error.details[0].path], [400, 'VALIDATION_ERROR', path]);
    }
    assert.equal(await events(account.accountId), 0);
  });
});
