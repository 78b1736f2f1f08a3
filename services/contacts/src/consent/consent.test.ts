import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsentChanged } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
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

  await t.test('is told apart by channel and topic, and every change is in the log with its evidence', async () => {
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
    assert.deepEqual(entries.find(({ after }) => after?.status === 'unsubscribed').before.method, 'api', 'how it began is known');

    const told = await parts.mongo.db
      .collection('outbox')
      .find({ subject: ConsentChanged.subject, 'envelope.account_id': account.accountId })
      .toArray();
    assert.equal(told.length, 4);
    assert.ok(
      told.every((row) => !JSON.stringify(row.envelope).includes('192.0.2.7')),
      'evidence stays in the log',
    );
  });

  await t.test('a change that changes nothing is not logged, and If-Match is obeyed', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'b@example.com', consent: { sms: { status: 'pending' } } });
    const path = `/v2/contacts/${contact.id}/consent`;
    assert.equal((await account.put(path, { sms: { status: 'pending' } })).headers.etag, '"1"');
    assert.equal((await account.get(`${path}/log`)).data.items.length, 2, 'what it was created with');
    assert.equal((await account.put(path, { sms: null }, { 'if-match': '"9"' })).status, 412);
  });

  await t.test('names what is wrong', async () => {
    const account = testClient(app);
    const { data: contact } = await account.post('/v2/contacts', { email: 'c@example.com' });
    for (const [wrong, path] of [
      [{ email: { status: 'maybe' } }, '/email/status'],
      [{ email: { status: 'pending', at: 'yesterday' } }, '/email/at'],
      [{ email: { status: 'pending', evidence: { ip: '300.1.1.1' } } }, '/email/evidence/ip'],
      [{ topics: { 'No Spaces': { email: { status: 'pending' } } } }, '/topics/No Spaces'],
      [{ fax: { status: 'pending' } }, '/'],
    ] as const) {
      const answer = await account.put(`/v2/contacts/${contact.id}/consent`, wrong);
      assert.deepEqual([answer.status, answer.error.details[0].path], [400, path]);
    }
    const topics = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, { email: { status: 'pending' } }]));
    assert.equal((await account.put(`/v2/contacts/${contact.id}/consent`, { topics })).status, 400);
  });

  await t.test('an account that wants confirmation gets new contacts as pending', async () => {
    const account = testClient(app);
    assert.deepEqual((await account.get('/v2/contacts/settings')).data, { default_consent: 'subscribed' });
    assert.equal((await account.put('/v2/contacts/settings', { default_consent: 'pending' })).status, 200);
    assert.equal((await account.post('/v2/contacts', { email: 'd@example.com' })).data.consent.email.status, 'pending');
    const said = await account.post('/v2/contacts', { email: 'e@example.com', consent: { email: { status: 'subscribed' } } });
    assert.equal(said.data.consent.email.status, 'subscribed');
  });
});
