import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsentChanged } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('consent', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const url = (suffix: string) => async (client: ReturnType<typeof testClient>) =>
    `/v2/contacts/${(await client.post('/v2/contacts', { email: 'ada@example.com' })).data.id}/consent${suffix}`;
  const body = { email: { status: 'pending' } };
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: url('') });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'contacts:write', url: url(''), body });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: url('/log') });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => '/v2/contacts/settings' });
  const settings = { default_consent: 'pending' };
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'contacts:write', url: () => '/v2/contacts/settings', body: settings });

  await t.test('is separate for each channel and topic, and every change is logged with its evidence', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'ada@example.com' });
    const evidence = { ip: '192.0.2.7', source: 'https://example.com/newsletter', text: 'Yes, send me news.' };
    const changed = await account.put(`/v2/contacts/${contact.id}/consent`, {
      sms: { status: 'subscribed', method: 'form', at: '2026-05-01T10:00:00+02:00', evidence },
      topics: { newsletter: { email: { status: 'subscribed', method: 'double_opt_in' } } },
    });
    assert.deepEqual([changed.status, changed.headers.etag, changed.data.sms.at], [200, '"2"', '2026-05-01T08:00:00.000Z']);
    await account.put(`/v2/contacts/${contact.id}/consent`, { email: { status: 'unsubscribed' }, topics: { newsletter: null } });
    const { data: consent } = await account.get(`/v2/contacts/${contact.id}/consent`);
    assert.deepEqual([consent.email.status, consent.topics, consent.status, consent.revision], ['unsubscribed', {}, 'unsubscribed', 3]);

    const { data: log } = await account.get(`/v2/contacts/${contact.id}/consent/log?limit=3`);
    const rest = await account.get(`/v2/contacts/${contact.id}/consent/log?cursor=${log.pagination.next_cursor}`);
    const entries = [...log.items, ...rest.data.items];
    assert.deepEqual(
      entries.map(({ channel, topic, before, after, revision }) => [channel, topic, before?.status, after?.status, revision]).sort(),
      [
        ['email', null, 'subscribed', 'unsubscribed', 3],
        ['email', 'newsletter', 'subscribed', undefined, 3],
        ['email', 'newsletter', undefined, 'subscribed', 2],
        ['sms', null, undefined, 'subscribed', 2],
      ].sort(),
    );
    assert.deepEqual(entries.find(({ channel }) => channel === 'sms').evidence, evidence);
    assert.deepEqual(entries.find(({ after }) => after?.status === 'unsubscribed').before.method, 'api', 'the initial consent is known');

    const events = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: ConsentChanged.subject });
    assert.equal(events.length, 4);
    assert.ok(
      events.every((row) => !JSON.stringify(row.envelope).includes('192.0.2.7')),
      'evidence stays in the log',
    );
  });

  await t.test('a change without effect is not logged, and If-Match is honoured', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'b@example.com', consent: { sms: { status: 'pending' } } });
    const path = `/v2/contacts/${contact.id}/consent`;
    assert.equal((await account.put(path, { sms: { status: 'pending' } })).headers.etag, '"1"');
    assert.equal((await account.get(`${path}/log`)).data.items.length, 2, 'only the initial consents');
    assert.equal((await account.put(path, { sms: null }, { 'if-match': '"9"' })).status, 412);
  });

  await t.test('older consent never replaces an unsubscription, in any kind of request', async () => {
    const account = testClient(app);
    const { data: monday } = await account.post('/v2/contacts', {
      email: 'old@example.com',
      external_id: 'old',
      consent: { email: { status: 'subscribed', at: '2026-05-01T00:00:00Z' }, topics: { news: { email: { status: 'subscribed' } } } },
    });
    const path = `/v2/contacts/${monday.id}`;
    const { data: left } = await account.put(`${path}/consent`, {
      email: { status: 'unsubscribed' },
      topics: { news: { email: { status: 'unsubscribed' } } },
    });
    const outbox = async () => (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).length;
    const before = await outbox();
    const { email, external_id, consent } = monday;
    const row = { email, external_id, consent };
    for (const match_on of ['email', 'external_id'])
      assert.equal((await account.post('/v2/contacts/batch', { match_on, contacts: [row] })).data.results[0].status, 'unchanged');
    assert.equal((await account.put('/v2/contacts', row)).status, 200);
    const back = await account.put(path, monday);
    assert.deepEqual([back.status, back.data.status, back.data.revision], [200, 'unsubscribed', 2], 'an earlier response can be sent back');
    assert.deepEqual((await account.get(`${path}/consent`)).data, left);
    assert.equal(await outbox(), before, 'nothing is published');
    assert.equal((await account.get(`${path}/consent/log`)).data.items.length, 4, 'known entries are not logged again');

    const evidence = { source: 'fair', text: 'on paper' };
    const claim = { email: { status: 'subscribed', method: 'form', at: '2026-06-01T00:00:00Z', evidence } };
    for (const _ of [1, 2]) assert.equal((await account.put(`${path}/consent`, claim)).headers.etag, '"2"');
    const { items } = (await account.get(`${path}/consent/log`)).data;
    assert.equal(items.length, 5, 'it is logged once');
    assert.deepEqual(
      [items[0].before, items[0].after, items[0].outdated, items[0].evidence],
      [left.email, left.email, { status: 'subscribed', method: 'form', at: '2026-06-01T00:00:00.000Z' }, evidence],
    );
    assert.equal(await outbox(), before);
    const older = { email: { status: 'unsubscribed', at: '2026-06-01T00:00:00Z' } };
    assert.deepEqual((await account.put(`${path}/consent`, older)).data.email, left.email, 'the newest unsubscription counts');

    const newer = await account.put(`${path}/consent`, { email: { status: 'subscribed', at: new Date().toISOString() } });
    assert.equal(newer.data.status, 'active', 'newer consent counts');
  });

  await t.test(
    '`pending` never replaces an unsubscription, in any kind of request, and an older consent sent afterwards has no effect',
    async () => {
      const account = testClient(app);
      const email = 'ada@example.com';
      const { data: contact } = await account.post('/v2/contacts', { email });
      await account.put(`/v2/contacts/${contact.id}/consent`, { email: { status: 'unsubscribed' } });
      const pending = { email: { status: 'pending' } };
      const old = { email: { status: 'subscribed', at: '2026-01-15T00:00:00Z' } };
      for (const consent of [pending, old]) {
        await account.put(`/v2/contacts/${contact.id}/consent`, consent);
        await account.put(`/v2/contacts/${contact.id}`, { consent });
        await account.put('/v2/contacts?match_on=email', { email, consent });
        await account.post('/v2/contacts/batch', { match_on: 'email', contacts: [{ email, consent }] });
        const { data } = await account.get(`/v2/contacts/${contact.id}/consent`);
        assert.equal(data.email.status, 'unsubscribed');
      }
      const confirmed = await account.put(`/v2/contacts/${contact.id}/consent`, {
        email: { status: 'subscribed', method: 'double_opt_in' },
      });
      assert.equal(confirmed.data.email.status, 'subscribed');
    },
  );

  await t.test('rejects consent in the future, except for small clock differences', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'soon@example.com' });
    const put = (at: string) => account.put(`/v2/contacts/${contact.id}/consent`, { email: { status: 'pending', at } });
    const response = await put('2099-01-01T00:00:00Z');
    assert.deepEqual([response.status, response.error.details[0].path], [400, '/email/at']);
    assert.match(response.error.details[0].message, /not in the future/);
    assert.equal((await put(new Date(Date.now() + 60_000).toISOString())).status, 200);
    const { data } = await account.post('/v2/contacts/batch', {
      contacts: [{ email: 'soon@example.com', consent: { sms: { status: 'subscribed', at: '2099-01-01T00:00:00Z' } } }],
    });
    assert.equal(data.results[0].error.path, '/consent/sms/at');
  });

  await t.test('names what is invalid', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'c@example.com' });
    for (const [wrong, path] of [
      [{ email: { status: 'maybe' } }, '/email/status'],
      [{ email: { status: 'pending', at: 'yesterday' } }, '/email/at'],
      [{ email: { status: 'pending', evidence: { ip: '300.1.1.1' } } }, '/email/evidence/ip'],
      [{ topics: { 'No Spaces': { email: { status: 'pending' } } } }, '/topics/No Spaces'],
      [{ fax: { status: 'pending' } }, '/fax'],
    ] as const) {
      const response = await account.put(`/v2/contacts/${contact.id}/consent`, wrong);
      assert.deepEqual([response.status, response.error.details[0].path], [400, path]);
    }
    const topics = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, { email: { status: 'pending' } }]));
    assert.equal((await account.put(`/v2/contacts/${contact.id}/consent`, { topics })).status, 400);
  });

  await t.test('an account with default_consent pending creates contacts as pending', async () => {
    const account = testClient(app);
    assert.equal((await account.put('/v2/contacts/settings', { default_consent: 'pending' })).status, 200);
    assert.equal((await account.post('/v2/contacts', { email: 'd@example.com' })).data.consent.email.status, 'pending');
    const said = await account.post('/v2/contacts', { email: 'e@example.com', consent: { email: { status: 'subscribed' } } });
    assert.equal(said.data.consent.email.status, 'subscribed');
  });

  await t.test('the settings show whether the default was ever set', async () => {
    const account = testClient(app);
    const path = '/v2/contacts/settings';
    const unchosen = { default_consent: 'subscribed', default_consent_chosen: false, revision: 0 };
    assert.deepEqual((await account.get(path)).data, unchosen);
    assert.deepEqual((await account.put(path, {})).data, unchosen, 'an empty change sets nothing');
    const refused = await account.put(path, { default_consent_chosen: true });
    assert.deepEqual([refused.status, refused.error.details[0].code], [400, 'read_only']);
    assert.deepEqual((await account.get(path)).data, unchosen);
    const chosen = { ...unchosen, default_consent_chosen: true, revision: 1 };
    assert.deepEqual((await account.put(path, unchosen)).data, chosen, 'sending back the default counts as setting it');
    assert.deepEqual((await account.get(path)).data, chosen);
  });
});
