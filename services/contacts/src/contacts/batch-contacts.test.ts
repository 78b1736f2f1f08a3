import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
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

  const events = async (accountId: AccountId) => (await writtenEvents(parts.mongo.db, { accountId })).length;
  const statuses = (response: { data: { results: { status: string }[] } }) => response.data.results.map(({ status }) => status);

  await t.test('creates, updates and leaves unchanged, in order; an invalid row does not affect the others', async () => {
    const account = testClient(app);
    const known = (await account.post('/v2/contacts', { email: 'known@example.com', first_name: 'K' })).data;
    const response = await account.post('/v2/contacts/batch', {
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
    assert.equal(response.status, 200);
    assert.deepEqual(statuses(response), ['created', 'updated', 'error', 'error', 'updated', 'unchanged', 'error']);
    assert.deepEqual(response.data.counts, { created: 1, updated: 2, unchanged: 1, error: 3 });
    assert.equal(response.data.results[1].id, known.id);
    assert.equal(response.data.results[2].error.path, '/email');
    assert.deepEqual((await account.get(`/v2/contacts/${response.data.results[0].id}`)).data.tags, ['again']);
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

  await t.test('rejects a row that would take an identifier of another contact, including within the batch', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts/batch', {
      contacts: [
        { email: 'a@example.com', external_id: '1' },
        { email: 'b@example.com', external_id: '1' },
      ],
    });
    assert.deepEqual([data.results[0].status, data.results[1].error.code], ['created', 'CONFLICT']);
  });

  await t.test('a row whose email has other capitals finds its contact, and leaves the spelling as it is', async () => {
    const account = testClient(app);
    const spelled = { email: 'Ada@example.com', first_name: 'Ada' };
    const { id } = (await account.post('/v2/contacts', spelled)).data;
    const { results } = (
      await account.post('/v2/contacts/batch', {
        contacts: [
          { email: 'ADA@EXAMPLE.COM' },
          { email: 'ada@example.com', first_name: 'Ada L.' },
          { email: 'Bob@example.com' },
          { email: 'BOB@example.com' },
        ],
      })
    ).data;
    const statuses = results.map(({ status }: { status: string }) => status);
    assert.deepEqual(statuses, ['unchanged', 'updated', 'created', 'unchanged']);
    const [after, bob] = [(await account.get(`/v2/contacts/${id}`)).data, (await account.get(`/v2/contacts/${results[2].id}`)).data];
    assert.deepEqual([after.email, after.first_name, bob.email], ['Ada@example.com', 'Ada L.', 'Bob@example.com']);
    const upserted = (await account.put('/v2/contacts', { email: 'ADA@example.com', first_name: 'Ada' })).data;
    assert.deepEqual([upserted.id, upserted.email], [id, 'Ada@example.com']);
  });

  await t.test('finds each contact by the strongest identifier of its row: email, else external_id, else phone', async () => {
    const people = [{ external_id: '1', email: 'a@example.com' }, { phone: '+4930901820' }, { email: 'c@example.com' }];
    for (const match_on of [undefined, 'email', 'any']) {
      const account = testClient(app);
      const first = (await account.post('/v2/contacts/batch', { match_on, contacts: people })).data.results;
      const { data } = await account.post('/v2/contacts/batch', {
        match_on,
        contacts: [
          { external_id: '1', email: 'new@example.com' },
          { phone: '+49 30 901820', first_name: 'B' },
          { external_id: '3', email: 'C@example.com' },
          { external_id: '3', phone: '+4930901820' },
          { external_id: '4' },
          { first_name: 'Nobody' },
        ],
      });
      assert.deepEqual(statuses({ data }), ['error', 'updated', 'updated', 'error', 'created', 'error']);
      assert.deepEqual([data.results[1].id, data.results[2].id], [first[1].id, first[2].id]);
      const faults = data.results.flatMap(({ error }: { error?: { code: string; path: string } }) =>
        error ? [error.code, error.path] : [],
      );
      assert.deepEqual(faults, ['CONFLICT', '/external_id', 'CONFLICT', '/phone', 'VALIDATION_ERROR', '/email']);
    }
  });

  await t.test('an identifier can move from contact to contact, along with other changes', async () => {
    const account = testClient(app);
    const upsert = async (...contacts: object[]) =>
      (await account.post('/v2/contacts/batch', { match_on: 'external_id', change_identifiers: true, contacts })).data;
    await upsert({ external_id: '1', email: 'x@example.com' }, { external_id: '2', email: 'y@example.com' });
    const passed = await upsert(
      { external_id: '2', first_name: 'Two' },
      { external_id: '1', email: 'z@example.com' },
      { external_id: '2', email: 'x@example.com' },
      { external_id: '1', last_name: 'One' },
    );
    assert.deepEqual(passed.counts, { created: 0, updated: 4, unchanged: 0, error: 0 });
    const exchanged = await upsert(
      { external_id: '1', email: 'x1@example.com' },
      { external_id: '2', email: 'z@example.com' },
      { external_id: '1', email: 'x@example.com' },
    );
    assert.equal(exchanged.counts.updated, 3);
    assert.equal(await events(account.accountId), 6, 'each batch is one write, with one event per contact');
  });

  await t.test('a batch has the same result as its rows sent one by one', async () => {
    const few = fc.constantFrom(null, undefined, '1', '2', '3', '4');
    const row = fc
      .record({ id: fc.constantFrom('1', '2', '3'), email: few, phone: few, name: fc.constantFrom(undefined, 'A', 'B') })
      .map(({ id, email, phone, name }) => ({
        external_id: id,
        ...(email !== undefined && { email: email && `e${email}@example.com` }),
        ...(phone !== undefined && { phone: phone && `+493090182${phone}` }),
        ...(name !== undefined && { first_name: name }),
      }));
    const known = ['1', '2', '3'].map((id) => ({ external_id: id, email: `e${id}@example.com`, phone: `+493090182${id}` }));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 4, maxLength: 12 }), fc.boolean(), async (rows, changes) => {
        const [together, apart] = [testClient(app), testClient(app)];
        const upsert = async (account: typeof together, contacts: object[]) => {
          const { data, status } = await account.post('/v2/contacts/batch', {
            match_on: 'external_id',
            change_identifiers: changes,
            contacts,
          });
          assert.equal(status, 200);
          return statuses({ data });
        };
        for (const one of [known, rows]) {
          const results: string[] = [];
          for (const contact of one) results.push(...(await upsert(apart, [contact])));
          assert.deepEqual(await upsert(together, one), results);
        }
        const all = async ({ get }: typeof together) =>
          (await get('/v2/contacts')).data.items
            .map(({ external_id, email, phone, first_name }: Record<string, string>) => `${external_id} ${email} ${phone} ${first_name}`)
            .sort();
        assert.deepEqual(await all(together), await all(apart));
      }),
      { numRuns: 20 },
    );
  });

  await t.test('a row that keeps conflicting with an invisible contact fails without affecting the others', async () => {
    const account = testClient(app);
    // A separate unique index simulates a conflict that no lookup finds.
    const unseen = { unique: true, partialFilterExpression: { job_title: 'unseen' } };
    await parts.mongo.db.collection('contacts').createIndex({ account_id: 1, job_title: 1 }, unseen);
    const contacts = Array.from({ length: 20 }, (_, index) => ({
      email: `u${index}@example.com`,
      job_title: index % 8 === 3 ? 'unseen' : 'seen',
    }));
    const { data } = await account.post('/v2/contacts/batch', { contacts });
    assert.deepEqual(data.counts, { created: 18, updated: 0, unchanged: 0, error: 2 });
    assert.deepEqual([data.results[11].error.code, data.results[19].error.code], ['CONFLICT', 'CONFLICT']);
    assert.equal((await account.post('/v2/contacts/batch', { contacts: contacts.slice(11, 12) })).data.results[0].error.code, 'CONFLICT');
    assert.equal((await account.get('/v2/contacts?include=total_count&limit=1')).data.pagination.total_count, 18);
  });

  await t.test('rejects an unpaired surrogate in any text', async () => {
    const account = testClient(app);
    const half = 'a\ud800';
    const contacts = [
      { external_id: half },
      { email: 'a@example.com', first_name: half },
      { email: 'b@example.com', tags: [half] },
      { email: 'c@example.com', attributes: { note: half } },
      { email: 'd@example.com', attributes: { notes: ['fine', half] } },
      { email: 'e@example.com', address: { city: half } },
      { email: 'f@example.com', first_name: 'whole \ud83d\ude00' },
    ];
    for (const status of ['created', 'unchanged']) {
      const response = await account.post('/v2/contacts/batch', { match_on: 'any', contacts });
      const { results } = response.data;
      assert.deepEqual(statuses(response), [...Array(6).fill('error'), status]);
      assert.match(results[0].error.message, /well-formed Unicode/);
      assert.deepEqual(
        results.slice(0, 6).map(({ error }: { error: { path: string } }) => error.path),
        ['/external_id', '/first_name', '/tags/0', '/attributes/note', '/attributes/notes', '/address/city'],
      );
    }
  });

  await t.test('NUL, a line break in a name and an inexact number fail only their own row', async () => {
    const contacts = [
      { email: 'a@example.com', address: { city: 'a\0' } },
      { email: 'b@example.com', first_name: 'a\nb' },
      { email: 'c@example.com', tags: ['a\u0085b'] },
      { email: 'd@example.com', attributes: { n: 2 ** 53 } },
      { email: 'e@example.com', address: { line1: 'Main Street 1\n2nd floor' }, attributes: { n: 2 ** 53 - 1 } },
    ];
    const response = await testClient(app).post('/v2/contacts/batch', { contacts });
    assert.deepEqual(statuses(response), ['error', 'error', 'error', 'error', 'created']);
    assert.deepEqual(
      response.data.results.slice(0, 4).map(({ error }: { error: { path: string } }) => error.path),
      ['/address/city', '/first_name', '/tags/0', '/attributes/n'],
    );
  });

  await t.test('keeps one contact per email when batches race', async () => {
    const account = testClient(app).patient();
    const rows = Array.from({ length: 50 }, (_, index) => ({ email: `r${index}@example.com` }));
    const responses = await Promise.all(Array.from({ length: 4 }, () => account.post('/v2/contacts/batch', { contacts: rows })));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(
      responses.reduce((sum, { data }) => sum + data.counts.created, 0),
      50,
    );
    assert.equal((await account.get('/v2/contacts?include=total_count&limit=1')).data.pagination.total_count, 50);
  });

  await t.test('replays its response to the same Idempotency-Key', async () => {
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

  await t.test('accepts at most 1,000 rows', async () => {
    const response = await testClient(app).post('/v2/contacts/batch', { contacts: Array(1_001).fill({ email: 'a@example.com' }) });
    assert.deepEqual([response.status, response.error.details[0].path], [400, '/contacts']);
  });
});
