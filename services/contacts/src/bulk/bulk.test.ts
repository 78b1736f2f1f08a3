import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact, readContact } from '../../test/contacts.ts';
import { endOfJob } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';
import { createBulkResultsStore } from './bulk-results-store.ts';

test('bulk jobs', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { db } = parts.mongo;
  const { app } = await testService(t, parts, buildApp, { live: true });
  const create = (account: Client, body: object, headers = {}) => account.post('/v2/contacts/bulk', body, headers);
  const run = async (account: Client, body: object) => {
    const response = await create(account, body);
    assert.equal(response.status, 202, response.text);
    assert.equal(response.headers.location, `/v2/contacts/bulk/${response.data.id}`);
    return endOfJob(account, `/v2/contacts/bulk/${response.data.id}`);
  };
  const resultsOf = async (account: Client, job: { results_url: string }) =>
    (await account.get(job.results_url)).text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 3).join(' ').trim());
  const all = { select: { filter: {} }, action: 'add_tag', tag: 'x' };
  const jobOf = async (client: Client) => (await create(client, all)).data.id;
  const guarantees = [
    { method: 'POST', scope: 'contacts:write', url: () => '/v2/contacts/bulk', body: all },
    { method: 'GET', scope: 'contacts:read', url: () => '/v2/contacts/bulk' },
    { method: 'GET', scope: 'contacts:read', url: async (client: Client) => `/v2/contacts/bulk/${await jobOf(client)}` },
    { method: 'GET', scope: 'contacts:read', url: async (client: Client) => `/v2/contacts/bulk/${await jobOf(client)}/results.csv` },
    { method: 'POST', scope: 'contacts:write', url: async (client: Client) => `/v2/contacts/bulk/${await jobOf(client)}/cancel` },
  ] as const;
  for (const route of guarantees) await t.test(`${route.method} ${route.url.toString()}`, (part) => guaranteeRoute(part, app, route));

  /** 250 contacts: every fifth has the tag `vip`, every other the plan `pro`. */
  async function setting() {
    const account = testClient(app);
    const contacts = Array.from({ length: 250 }, (_, index) => ({
      email: `c${index}@example.com`,
      tags: index % 5 === 0 ? ['vip'] : [],
      attributes: { plan: index % 2 === 0 ? 'pro' : 'free' },
    }));
    const { data } = await account.post('/v2/contacts/batch', { contacts });
    const ids: string[] = data.results.map(({ id }: { id: string }) => id);
    const count = async (query: string) =>
      (await account.get(`/v2/contacts?limit=1&include=total_count&${query}`)).data.pagination.total_count;
    return { account, ids, count };
  }

  await t.test('add and remove a tag from contacts selected by a filter, a rule or ids, each once, with a result for each', async () => {
    const { account, ids, count } = await setting();
    const tagged = await run(account, { select: { filter: { 'attributes.plan': 'pro' } }, action: 'add_tag', tag: 'vip' });
    assert.deepEqual([tagged.status, tagged.rows], ['completed', { selected: 125, changed: 100, unchanged: 25, failed: 0 }]);
    assert.equal(await count('tag=vip'), 150);
    const results = await resultsOf(account, tagged);
    assert.deepEqual(
      results.map((line) => line.split(' ')[0]),
      ids.filter((_, index) => index % 2 === 0).toSorted(),
    );
    const updates = await writtenEvents(db, { accountId: account.accountId, subject: 'contacts.contact.updated.v1' });
    assert.equal(updates.length, 100);

    const rule = { field: 'attributes.plan', op: 'eq', value: 'free' };
    const untagged = await run(account, { select: { rule }, action: 'remove_tag', tag: 'vip' });
    assert.deepEqual(untagged.rows, { selected: 125, changed: 25, unchanged: 100, failed: 0 });
    const named = [ids[3], 'contact_unknown', ids[1], ids[3]];
    const byId = await run(account, { select: { ids: named }, action: 'add_tag', tag: 'new' });
    assert.deepEqual(byId.rows, { selected: 3, changed: 2, unchanged: 0, failed: 1 });
    assert.deepEqual(
      (await resultsOf(account, byId)).toSorted(),
      [`${ids[1]} changed`, `${ids[3]} changed`, 'contact_unknown failed NOT_FOUND'].toSorted(),
    );
    const { consequences, ...words } = await run(account, { select: { filter: { q: 'c24', tag: 'vip' } }, action: 'add_tag', tag: 'late' });
    assert.equal(consequences.status, 'pending', 'segments is not there');
    assert.equal(words.rows.changed, await count('tag=late'));
    assert.deepEqual((await account.get('/v2/contacts/bulk?limit=1')).data.items, [words]);
  });

  await t.test('with start_workflows: false, what a job changes is marked to start no workflows', async () => {
    const { account } = await setting();
    const select = { filter: { tag: 'vip' } };
    const quiet = await run(account, { select, action: 'add_tag', tag: 'quiet', start_workflows: false });
    const loud = await run(account, { select, action: 'add_tag', tag: 'loud' });
    assert.deepEqual([quiet.start_workflows, loud.start_workflows, quiet.rows.changed], [false, true, 50]);
    const updates = await writtenEvents(db, { accountId: account.accountId, subject: 'contacts.contact.updated.v1' });
    const marked = (job: { id: string }) =>
      new Set(updates.filter(({ envelope }) => envelope.correlation_id === job.id).map(({ envelope }) => envelope.starts_workflows));
    assert.deepEqual([...marked(quiet), ...marked(loud)], [false, undefined]);
  });

  await t.test('a dry run has the same results and changes nothing', async () => {
    const { account, count } = await setting();
    const before = (await writtenEvents(db, { accountId: account.accountId })).length;
    for (const change of [
      { select: { filter: { tag: 'vip' } }, action: 'delete' },
      { select: { rule: { field: 'tags', op: 'contains', value: 'vip' } }, action: 'suppress' },
      { select: { filter: {} }, action: 'update', values: { company: 'Acme', attributes: { plan: 1 } } },
    ]) {
      const job = await run(account, { ...change, dry_run: true });
      const isUpdate = change.action === 'update';
      assert.deepEqual(job.rows, { selected: isUpdate ? 250 : 50, changed: isUpdate ? 0 : 50, unchanged: 0, failed: isUpdate ? 250 : 0 });
    }
    assert.deepEqual([await count(''), await count('tag=vip'), await count('status=suppressed')], [250, 50, 0]);
    assert.equal((await writtenEvents(db, { accountId: account.accountId })).length, before);
  });

  await t.test('update, suppress and delete change the contacts; one that forbids it fails without affecting the others', async () => {
    const account = testClient(app);
    const full = await createContact(account, { email: 'full@example.com', tags: Array.from({ length: 100 }, (_, index) => `t${index}`) });
    const other = await createContact(account, { external_id: 'x' });
    const tagged = await run(account, { select: { filter: {} }, action: 'add_tag', tag: 'one-more' });
    assert.deepEqual(await resultsOf(account, tagged), [`${full.id} failed VALIDATION_ERROR`, `${other.id} changed`]);
    const values = { company: 'Acme', attributes: { plan: 'pro' }, consent: { email: { status: 'unsubscribed' } } };
    await run(account, { select: { filter: {} }, action: 'update', values });
    const updated = await readContact(account, full.id);
    assert.deepEqual([updated.company, updated.attributes, updated.status], ['Acme', { plan: 'pro' }, 'unsubscribed']);
    assert.equal((await account.get(`/v2/contacts/${full.id}/consent/log`)).data.items.length, 1);
    const suppressed = await run(account, { select: { filter: {} }, action: 'suppress' });
    assert.deepEqual(await resultsOf(account, suppressed), [`${full.id} changed`, `${other.id} failed no_email`]);
    assert.equal((await readContact(account, full.id)).status, 'suppressed');
    const deleted = await run(account, { select: { filter: { status: 'suppressed' } }, action: 'delete' });
    assert.deepEqual(deleted.rows, { selected: 1, changed: 1, unchanged: 0, failed: 0 });
    assert.equal((await account.get(`/v2/contacts/${full.id}`)).status, 404);
    assert.equal((await account.post(`/v2/contacts/${full.id}/restore`)).status, 200);
  });

  await t.test('large contacts are written in several transactions', async () => {
    const account = testClient(app);
    const large = Array.from({ length: 60 }, (_, index) => ({
      email: `large${index}@example.com`,
      attributes: Object.fromEntries(Array.from({ length: 60 }, (_unused, key) => [`k${key}`, 'x'.repeat(1_000)])),
    }));
    for (let from = 0; from < 60; from += 20) await account.post('/v2/contacts/batch', { contacts: large.slice(from, from + 20) });
    const job = await run(account, { select: { filter: {} }, action: 'add_tag', tag: 'x' });
    assert.deepEqual([job.rows.changed, (await resultsOf(account, job)).length], [60, 60]);
    const results = await db.collection('bulk_results').find({ job_id: job.id }).toArray();
    assert.ok(results.length > 1);
    for (const { expires_at } of results) assert.ok(expires_at.toISOString() > job.expires_at, 'results are kept as long as their job');
  });

  await t.test('results that version 0.1.0 wrote expire, too', async () => {
    const written = await db.collection('bulk_results').insertOne({ at: new Date() });
    await createBulkResultsStore(db).prepare();
    const kept = await db.collection('bulk_results').findOne({ _id: written.insertedId });
    assert.ok(kept?.expires_at > Date.now());
  });

  await t.test('a cancelled job stops between transactions, keeps its results, and cannot be cancelled again', async () => {
    const { account, count } = await setting();
    const { data: job } = await create(account, { ...all, tag: 'partly' });
    const cancelled = await account.post(`/v2/contacts/bulk/${job.id}/cancel`);
    const { rows } = (await account.get(`/v2/contacts/bulk/${job.id}`)).data;
    if (cancelled.status === 200) assert.deepEqual([cancelled.data.status, cancelled.data.rows], ['cancelled', rows]);
    assert.equal(await count('tag=partly'), rows.changed);
    assert.equal((await resultsOf(account, job)).filter(Boolean).length, rows.selected);
    assert.equal((await account.post(`/v2/contacts/bulk/${job.id}/cancel`)).error.code, 'INVALID_STATE');
  });

  await t.test('rejects what no job can do', async () => {
    const account = testClient(app);
    const tagging = { action: 'add_tag', tag: 'x' };
    for (const [body, path] of [
      [{ ...tagging, select: {} }, '/select'],
      [{ ...tagging, select: { ids: ['a'], filter: {} } }, '/select'],
      [{ ...tagging, select: { ids: [] } }, '/select/ids'],
      [{ ...tagging, select: { filter: { limit: '5' } } }, '/select/filter/limit'],
      [{ ...tagging, select: { filter: { plan: 'pro' } } }, '/select/filter'],
      [{ ...tagging, select: { filter: { status: 'happy' } } }, '/select/filter/status'],
      [{ ...tagging, select: { rule: { event: 'order_placed', in_last: 'P1D' } } }, '/select/rule'],
      [{ select: { filter: {} }, action: 'add_tag' }, '/tag'],
      [{ select: { filter: {} }, action: 'delete', tag: 'x' }, '/tag'],
      [{ select: { filter: {} }, action: 'update' }, '/values'],
      [{ select: { filter: {} }, action: 'update', values: {} }, '/values'],
      [{ select: { filter: {} }, action: 'update', values: { email: 'a@example.com' } }, '/values'],
    ] as const) {
      const { status, error } = await create(account, body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(error.details[0].path.startsWith(path), `${error.details[0].path} for ${JSON.stringify(body)}`);
    }
  });

  await t.test('start_workflow starts a run for each contact, shows whom the workflow does not admit, and needs its scope', async () => {
    const { account, ids } = await setting();
    const workflow_id = newId('workflow');
    const requests: { ids: readonly string[]; by: string; dry: boolean }[] = [];
    await parts.broker.reply(WorkflowRunsStart, async ({ account_id, contact_ids, by, dry_run, workflow_id: workflow }) => {
      if (account_id !== account.accountId || workflow !== workflow_id) return { refused: 'No workflow has this ID.', items: [] };
      if (contact_ids.length > 0) requests.push({ ids: contact_ids, by, dry: dry_run });
      return {
        refused: null,
        senders: ['news@example.com'],
        items: contact_ids.map((contact_id) => ({
          contact_id,
          status: contact_id === ids[0] ? ('not_admitted' as const) : ('started' as const),
        })),
      };
    });
    const body = { select: { ids: [...ids, 'contact_unknown'] }, action: 'start_workflow', workflow_id };
    const dry = await run(account, { ...body, dry_run: true });
    const job = await run(account, body);
    for (const { rows, status } of [dry, job])
      assert.deepEqual([status, rows], ['completed', { selected: 251, changed: 249, unchanged: 1, failed: 1 }]);
    const real = requests.filter(({ dry: isDry }) => !isDry);
    assert.deepEqual(real.flatMap((one) => one.ids).toSorted(), ids.toSorted(), 'each once');
    assert.deepEqual([...new Set(real.map(({ by }) => by))], [job.id]);
    assert.deepEqual([job.workflow_id, requests.filter(({ dry: isDry }) => isDry).length > 0], [workflow_id, true]);
    const narrow = await create(account.as({ scopes: ['contacts:write'] }), body);
    assert.deepEqual([narrow.status, narrow.error.code], [403, 'FORBIDDEN']);
    for (const [senders, status] of [
      [['@other.example'], 403],
      [['news@example.com'], 202],
    ] as const) {
      const limited = account.as({ sending_limits: { topics: null, senders: [...senders] } });
      assert.equal((await create(limited, { ...body, dry_run: true })).status, status, senders[0]);
    }
    const unknown = await create(account, { ...body, workflow_id: newId('workflow') });
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/workflow_id']);
    const without = await create(account, { select: { filter: {} }, action: 'start_workflow' });
    assert.deepEqual([without.status, without.error.details[0].path], [400, '/workflow_id']);
  });

  await t.test('a retry with the same Idempotency-Key creates one job', async () => {
    const account = testClient(app);
    const [first, again] = [
      await create(account, all, { 'idempotency-key': 'b1' }),
      await create(account, all, { 'idempotency-key': 'b1' }),
    ];
    assert.deepEqual([again.data.id, again.headers['idempotent-replayed']], [first.data.id, 'true']);
    assert.equal((await account.get('/v2/contacts/bulk')).data.items.length, 1);
  });
});

test('a bulk job reads its contacts after the response, so that two million of them never let a request time out', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { db } = parts.mongo;
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  await createContact(account, { email: 'ada@example.com', tags: ['vip'] });
  await db.command({ profile: 2 });
  for (const select of [{ filter: {} }, { filter: { tag: 'vip' } }, { rule: { field: 'email', op: 'exists' } }]) {
    const { status, data } = await account.post('/v2/contacts/bulk', { select, action: 'delete' });
    assert.deepEqual([status, data.rows.selected], [202, 0]);
  }
  await db.command({ profile: 0 });
  const used: string[] = await db.collection('system.profile').distinct('ns');
  assert.ok(used.includes(`${db.databaseName}.bulk_jobs`) && !used.includes(`${db.databaseName}.contacts`), used.join());
});
