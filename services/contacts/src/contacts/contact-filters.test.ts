import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import type { Document } from 'mongodb';
import { buildApp } from '../app.ts';
import { contactFilters } from './contact-filters.ts';
import { createContactsStore } from './contacts-store.ts';

/** A query string for each entry of the table, for the contacts below. */
const queries: Record<string, string> = {
  email: 'email=f7@example.com',
  external_id: 'external_id=x7',
  phone: `phone=${encodeURIComponent('+4930901820')}`,
  tag: 'tag=blue',
  status: 'status=unsubscribed',
  'attributes.<key>': 'attributes.plan=pro',
  created_at: 'created_at[gte]=2020-01-01T00:00:00Z',
  updated_at: 'updated_at[gte]=2020-01-01T00:00:00Z',
  q: 'q=fi',
};

test('the table of filters', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { db } = parts.mongo;
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const contacts = Array.from({ length: 300 }, (_, index) => ({
    email: `f${index}@example.com`,
    external_id: `x${index}`,
    ...(index === 7 && { phone: '+4930901820' }),
    ...(index % 3 === 0 && { first_name: index % 2 === 0 ? 'Fiona' : 'Gus', last_name: `No ${index}` }),
    tags: [index % 5 === 0 ? 'Blue' : 'red'],
    attributes: { plan: index % 5 === 0 ? 'pro' : 'free', seats: index },
    consent: { email: { status: index % 5 === 0 ? 'unsubscribed' : 'subscribed' } as const },
  }));
  // Another account has the same contacts: an index must find only those of this account.
  for (const tenant of [testClient(app), account])
    assert.equal((await tenant.post('/v2/contacts/batch', { contacts })).data.counts.created, 300);

  // The worst case for paging: all written in the same millisecond, as in a batch.
  const moment = new Date();
  await db.collection('contacts').updateMany({}, { $set: { created_at: moment, updated_at: moment } });

  /** Runs `work` with the profiler on, and returns what MongoDB did for it. */
  async function watched<Result>(work: () => Promise<Result>) {
    await db.command({ profile: 2 });
    const response = await work();
    await db.command({ profile: 0 });
    const runs = await db
      .collection('system.profile')
      .find({ ns: `${db.databaseName}.contacts` })
      .toArray();
    await db.collection('system.profile').drop();
    return { response, runs };
  }
  async function profiled(query: string) {
    const { response, runs } = await watched(() => account.get(`/v2/contacts?${query}`));
    assert.equal(response.status, 200, response.text);
    return { response, runs };
  }
  const plansOf = (runs: readonly Document[]) => runs.map(({ planSummary }) => String(planSummary)).join(' ');
  const sum = (runs: readonly Document[], member: string) => runs.reduce((total, run) => total + Number(run[member]), 0);

  async function holds({ filter, finds, index }: (typeof contactFilters)[number], sort: string, query = queries[filter]) {
    for (let cursor = '', pages = 0; pages < 3; pages += 1) {
      const { response, runs } = await profiled(`${query}&limit=10${sort}${cursor && `&cursor=${cursor}`}`);
      const { items, pagination } = response.data;
      if (finds === 'few') assert.equal(items.length, 1);
      const plans = plansOf(runs);
      assert.doesNotMatch(plans, /COLLSCAN/);
      const fields = { id: '_id', tag: 'tag_keys', attributes: 'attribute_pairs', email: 'email_key' } as Record<string, string>;
      assert.match(plans, new RegExp(`account_id: 1, ${fields[index] ?? index}: 1`));
      // One row more than the page shows whether there is another page.
      assert.ok(sum(runs, 'docsExamined') <= 2 * (items.length + 1), `${sum(runs, 'docsExamined')} for ${items.length}${sort}`);
      // A search by words reads the entries and then their contacts.
      assert.ok(
        sum(runs, 'keysExamined') <= (filter === 'q' ? 3 : 2) * (items.length + 2),
        `${sum(runs, 'keysExamined')} keys for ${items.length}${sort}`,
      );
      if (!pagination.has_more) return;
      cursor = pagination.next_cursor;
    }
  }

  // Half of the index entries for the filter are outside the range.
  const later = new Date(moment.getTime() + 1);
  await db.collection('contacts').updateMany({ 'attributes.seats': { $gte: 150 } }, { $set: { created_at: later, updated_at: later } });
  const half = (field: string) => `&${field}[gte]=${moment.toISOString()}&${field}[lt]=${later.toISOString()}`;

  const { items } = (await account.get('/v2/contacts?email=f7@example.com')).data;
  queries.id = `id[in]=${items[0].id}`;
  for (const entry of contactFilters) {
    const { filter, index, sorts } = entry;
    await t.test(`${filter}: with every sort, uses the index ${index} and examines at most twice what it returns`, async () => {
      const sortings = sorts.flatMap((field) => [`&sort=${field}`, `&sort=-${field}`]);
      for (const sort of sortings.length > 0 ? sortings : ['']) await holds(entry, sort);
    });
    if (entry.finds === 'few' || sorts.length === 0) continue;
    await t.test(
      `${filter}: within a range of its sort field, uses the index ${index} and examines at most twice what it returns`,
      async () => {
        const query = filter === sorts[0] ? '' : queries[filter];
        for (const field of sorts)
          for (const sort of [`&sort=${field}`, `&sort=-${field}`]) await holds(entry, `${half(field)}${sort}`, query);
      },
    );
  }

  await t.test('q: reads the index of words, starts with the rarest of several, and at most 5,000 entries', async () => {
    const words = /IXSCAN \{ account_id: 1, search_words: 1, _id: 1 \}/;
    for (const [query, found] of [
      ['q=f29', 11],
      ['q=gus', 50],
      ['q=gus%20297', 1],
      ['q=f29&attributes.plan=pro&tag=blue&status=unsubscribed', 2],
      ['q=f7&email=f7@example.com&sort=created_at&include=total_count', 1],
      ['q=fiona&email=f7@example.com', 0],
    ] as const) {
      const { response, runs } = await profiled(`limit=60&${query}`);
      assert.equal(response.data.items.length, found, query);
      if (!query.includes('email')) assert.match(plansOf(runs), words);
      assert.doesNotMatch(plansOf(runs), /COLLSCAN/);
      assert.ok(sum(runs, 'docsExamined') <= 2 * (found + 10), `${sum(runs, 'docsExamined')} for ${query}`);
    }
    const { response, runs } = await profiled('q=example&external_id=x1&tag=none');
    assert.deepEqual(response.data.items, []);
    assert.ok(sum(runs, 'docsExamined') <= 1);
  });

  await t.test('total_count counts only what the index finds in one account', async () => {
    for (const [query, total, field] of [
      ['tag=blue', 60, 'tag_keys'],
      ['status=unsubscribed', 60, 'status'],
      ['attributes.plan=free', 240, 'attribute_pairs'],
      ['external_id=x7', 1, 'external_id'],
      ['', 300, 'created_at'],
    ] as const) {
      const { response, runs } = await profiled(`${query}&limit=1&include=total_count`.replace(/^&/, ''));
      assert.equal(response.data.pagination.total_count, total);
      assert.match(plansOf(runs), new RegExp(`account_id: 1, ${field}: 1`));
      assert.doesNotMatch(plansOf(runs), /COLLSCAN/);
      assert.ok(sum(runs, 'keysExamined') <= total + 5, `${sum(runs, 'keysExamined')} keys for ${query}`);
    }
  });

  await t.test('rejects an empty value, which no index contains', async () => {
    for (const query of ['external_id=', 'external_id=%20', 'email=', 'phone=', 'tag=', 'tag=%20', 'status=', 'attributes.plan=', 'q=%20'])
      assert.equal((await account.get(`/v2/contacts?${query}`)).status, 400, query);
    for (const field of ['email', 'phone', 'tags', 'attributes.plan'])
      for (const [op, value] of [
        ['eq', ''],
        ['in', ['', '  ']],
      ] as const) {
        const rule = { field, op: field === 'tags' ? 'contains' : op, value: field === 'tags' ? ' ' : value };
        const { response, runs } = await watched(() => account.post('/v2/contacts/search', { rule }));
        assert.ok(response.status === 400 || response.data.items.length === 0, response.text);
        assert.ok(sum(runs, 'keysExamined') <= 301, `${sum(runs, 'keysExamined')} keys for ${JSON.stringify(rule)}`);
      }
  });

  await t.test('finding contacts by any identifier examines only those', async () => {
    const store = createContactsStore(db, parts.cursors);
    const { runs } = await watched(async () => {
      await account.put('/v2/contacts', { email: 'f8@example.com', first_name: 'F' });
      await account.post('/v2/contacts/batch', { contacts: [{ email: 'f9@example.com', external_id: 'x9', phone: '+4930901820' }] });
      await parts.mongo.transaction({ correlationId: 'req_filters', causationId: null }, async (tx) => {
        await store.pageByAddress(tx, account.accountId, { kind: 'domain', value: 'nowhere.example', after: null, limit: 10 });
      });
    });
    assert.ok(runs.length >= 4);
    for (const run of runs) assert.ok(Number(run.docsExamined ?? 0) <= 4, JSON.stringify(run.planSummary));
  });

  await t.test('finding many contacts at once examines only those, using the index of each identifier', async () => {
    const store = createContactsStore(db, parts.cursors);
    const { accountId } = account;
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const wanted = numbers.map((index) => ({ email: `F${index}@example.com`, external_id: `x${index + 20}`, phone: `+49309018${index}0` }));
    const inTransaction = () =>
      parts.mongo.transaction({ correlationId: 'req_filters', causationId: null }, (tx) => store.findByIdentities(tx, accountId, wanted));
    const written = await watched(inTransaction);
    assert.equal(written.response.length, 40);
    for (const name of ['email_key', 'external_id', 'phone'])
      assert.match(plansOf(written.runs), new RegExp(`IXSCAN \\{ account_id: 1, ${name}: 1 \\}`));
    assert.ok(sum(written.runs, 'docsExamined') <= 40, `${sum(written.runs, 'docsExamined')}`);
    assert.ok(sum(written.runs, 'keysExamined') <= 130, `${sum(written.runs, 'keysExamined')}`);

    const ids = written.response.slice(0, 10).map(({ id }) => id);
    const listed = await watched(() =>
      store.find(accountId, {
        ids: [...ids, newId('contact')],
        emails: [...wanted.map(({ email }) => email), ''],
        external_ids: ['', 'unknown'],
      }),
    );
    assert.equal(listed.response.contacts.length, new Set([...ids, ...written.response.slice(0, 20).map(({ id }) => id)]).size);
    assert.ok(sum(listed.runs, 'docsExamined') <= 2 * listed.response.contacts.length, `${sum(listed.runs, 'docsExamined')}`);
  });

  await t.test('q finds contacts by the start of any word, each once over all pages, with any filter', async () => {
    const own = testClient(app);
    const people = [
      { email: 'ada@example.com', first_name: 'Zoë', last_name: 'Ada' },
      { email: 'zed@example.com', first_name: 'Ada', last_name: 'Lovelace', tags: ['x'] },
      { email: 'adam@example.com', first_name: 'Adam', tags: ['x'], attributes: { plan: 'pro' } },
      { phone: '+4930901820', last_name: 'Adams', external_id: 'adz-1' },
      { email: 'bo@example.com', first_name: 'Bo' },
    ];
    const ids: string[] = [];
    for (const person of people) ids.push((await own.post('/v2/contacts', person)).data.id);
    const [zoe, ada, adam, phoned] = ids;
    const walk = async (query: string, limit: number) => {
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const { data } = await own.get(`/v2/contacts?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        found.push(...data.items.map(({ id }: { id: string }) => id));
        if (!data.pagination.has_more) return found;
        cursor = data.pagination.next_cursor;
      }
    };
    for (const limit of [1, 2, 50]) {
      assert.deepEqual(await walk('q=ADA', limit), [ada, zoe, adam, phoned]);
      assert.deepEqual(await walk('q=ad&tag=X', limit), [ada, adam]);
      assert.deepEqual(await walk('q=ex%20ad', limit), [zoe, ada, adam]);
    }
    assert.deepEqual(await walk('q=ad&tag=x&attributes.plan=pro', 50), [adam]);
    for (const text of ['zoe', 'zo\u0065\u0308', '+49 30 90', '030901820', 'adz'])
      assert.equal((await walk(`q=${encodeURIComponent(text)}`, 50)).length, 1, text);
    for (const text of ['.*', '@', '\u{10ffff}', 'bob']) assert.deepEqual(await walk(`q=${encodeURIComponent(text)}`, 50), [], text);
    for (const query of ['q=', 'q=ada&sort=created_at', 'q=ada&include=total_count'])
      assert.equal((await own.get(`/v2/contacts?${query}`)).status, 400, query);
  });

  await t.test('q finds a contact by its new words after every kind of change, and no longer by its old ones', async () => {
    const own = testClient(app);
    const found = async (q: string) => (await own.get(`/v2/contacts?q=${q}`)).data.items.map(({ id }: { id: string }) => id);
    const { data: one } = await own.post('/v2/contacts', { email: 'old@one.example', first_name: 'Grace' });
    await own.put(`/v2/contacts/${one.id}`, { email: 'new@two.example' });
    assert.deepEqual([await found('old'), await found('one.ex'), await found('new'), await found('two.ex')], [[], [], [one.id], [one.id]]);
    const { data: other } = await own.post('/v2/contacts', { external_id: 'crm-9', last_name: 'Hopper' });
    const { data: merge } = await own.post(`/v2/contacts/${one.id}/merge`, { source_id: other.id });
    assert.deepEqual([await found('hop'), await found('crm')], [[one.id], [one.id]]);
    await own.post(`/v2/contacts/${one.id}/merges/${merge.merge_id}/undo`);
    assert.deepEqual([await found('hop'), await found('grace')], [[other.id], [one.id]]);
    await own.post(`/v2/contacts/${one.id}/erase`);
    assert.deepEqual(await found('grace'), []);
  });
});

test('contacts stored by earlier versions are found by their words once the service has started', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const { data } = await account.post('/v2/contacts', { email: 'ada@example.com', first_name: 'Ada' });
  const contacts = parts.mongo.db.collection('contacts');
  await contacts.updateMany({}, { $unset: { search_words: '' }, $set: { name_key: 'ada' } });
  const { data: other } = await account.post('/v2/contacts', { email: 'bo@example.com', last_name: 'Iğdır' });
  await contacts.updateOne({ _id: other.id }, { $set: { search_words: ['bo@example.com', 'igdır'] } });
  const store = createContactsStore(parts.mongo.db, parts.cursors);
  assert.equal((await account.get(`/v2/contacts/${data.id}`)).data.name_key, undefined);
  assert.equal(await store.indexTextAgain(null, 500), null);
  assert.deepEqual((await account.get('/v2/contacts?q=ada')).data.items, [data]);
  assert.deepEqual((await account.get('/v2/contacts?q=igdir')).data.items, [other]);
});
