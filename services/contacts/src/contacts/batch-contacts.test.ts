import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { buildApp } from '../app.ts';

test('POST /v2/contacts/batch', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:write',
    url: () => '/v2/contacts/batch',
    body: { contacts: [{ email: 'ada@example.com' }] },
  });

  const events = (accountId: string) => parts.mongo.db.collection('outbox').countDocuments({ 'envelope.account_id': accountId });
  const statuses = (answer: { data: { results: { status: string }[] } }) => answer.data.results.map(({ status }) => status);

  await t.test('creates, updates and leaves unchanged, in order; a wrong row fails alone', async () => {
    const account = testClient(app);
    const known = (await account.post('/v2/contacts', { email: 'known@example.com', first_name: 'K' })).data;
    const answer = await account.post('/v2/contacts/batch', {
      contacts: [
        { email: 'new@example.com' },
        { email: 'KNOWN@example.com', first_name: 'L' },
        { email: 'nope' },
        { first_name: 'nobody' },
        { email: 'new@example.com', tags: ['again'] },
        { email: 'new@example.com' },
        { email: 'x@example.com', unheard_of: 1 },
      ],
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(statuses(answer), ['created', 'updated', 'error', 'error', 'updated', 'unchanged', 'error']);
    assert.deepEqual(answer.data.counts, { created: 1, updated: 2, unchanged: 1, error: 3 });
    assert.equal(answer.data.results[1].id, known.id);
    assert.equal(answer.data.results[2].error.path, '/email');
    assert.deepEqual((await account.get(`/v2/contacts/${answer.data.results[0].id}`)).data.tags, ['again']);
    assert.equal(await events(account.accountId), 3, 'one event for each contact that changed');
  });

  await t.test('writes and publishes nothing for rows that change nothing', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ external_id: `x${index}`, email: `b${index}@example.com`, tags: ['t'] }));
    assert.equal((await account.post('/v2/contacts/batch', { contacts: rows })).data.counts.created, 1_000);
    const again = await account.post('/v2/contacts/batch', { match_on: 'external_id', contacts: rows });
    assert.equal(again.data.counts.unchanged, 1_000);
    assert.equal(await events(account.accountId), 1_000);
  });

  await t.test('refuses a row that would take the identity of another contact, also within the batch', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts/batch', {
      contacts: [
        { email: 'a@example.com', external_id: '1' },
        { email: 'b@example.com', external_id: '1' },
      ],
    });
    assert.deepEqual([data.results[0].status, data.results[1].error.code], ['created', 'CONFLICT']);
  });

  await t.test('finds a contact by any of its identities when asked to, the caller’s own id first', async () => {
    const account = testClient(app);
    const people = [{ external_id: '1', email: 'a@example.com' }, { phone: '+4930901820' }, { email: 'c@example.com' }];
    const first = (await account.post('/v2/contacts/batch', { match_on: 'any', contacts: people })).data.results;
    const { data } = await account.post('/v2/contacts/batch', {
      match_on: 'any',
      contacts: [
        { external_id: '1', email: 'new@example.com' },
        { phone: '+49 30 901820', first_name: 'B' },
        { external_id: '3', email: 'C@example.com' },
        { external_id: '3', phone: '+4930901820' },
        { external_id: '4' },
        { first_name: 'Nobody' },
      ],
    });
    assert.deepEqual(statuses({ data }), ['updated', 'updated', 'updated', 'error', 'created', 'error']);
    assert.deepEqual(
      data.results.slice(0, 3).map(({ id }: { id: string }) => id),
      first.map(({ id }: { id: string }) => id),
    );
    assert.deepEqual([data.results[3].error.code, data.results[5].error.path], ['CONFLICT', '/email']);
  });

  await t.test('keeps one contact per e-mail when batches race', async () => {
    const account = testClient(app).patient();
    const rows = Array.from({ length: 50 }, (_, index) => ({ email: `r${index}@example.com` }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => account.post('/v2/contacts/batch', { contacts: rows })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(
      answers.reduce((sum, { data }) => sum + data.counts.created, 0),
      50,
    );
    assert.equal((await account.get('/v2/contacts?include=total_count&limit=1')).data.pagination.total_count, 50);
  });

  await t.test('replays its answer to the same Idempotency-Key', async () => {
    const account = testClient(app);
    const body = { contacts: [{ email: 'once@example.com' }] };
    const first = await account.post('/v2/contacts/batch', body, { 'idempotency-key': 'b1' });
    const again = await account.post('/v2/contacts/batch', body, { 'idempotency-key': 'b1' });
    assert.deepEqual([again.data, again.headers['idempotent-replayed']], [first.data, 'true']);
    assert.equal(
      (await account.post('/v2/contacts/batch', { contacts: [{ email: 'z@example.com' }] }, { 'idempotency-key': 'b1' })).status,
      422,
    );
  });

  await t.test('takes at most 1,000 rows', async () => {
    const answer = await testClient(app).post('/v2/contacts/batch', { contacts: Array(1_001).fill({ email: 'a@example.com' }) });
    assert.deepEqual([answer.status, answer.error.details[0].path], [400, '/contacts']);
  });
});
