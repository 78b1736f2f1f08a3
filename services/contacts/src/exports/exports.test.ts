import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { contactMembers, declareTexts } from '../../test/arbitraries.ts';
import { fillAttributeKeys } from '../../test/attribute-keys.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/exports';

test('exports', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const made = async (client: Client) => (await client.post(path)).data.id;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:export', url: () => path, body: { format: 'csv' } });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: async (client) => `${path}/${await made(client)}` });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:export', url: async (client) => `${path}/${await made(client)}/file` });

  const exportFile = async (account: Client, body: object) => {
    const { status, data } = await account.post(path, body);
    assert.equal(status, 202);
    const job = await endOfJob(account, `${path}/${data.id}`);
    assert.equal(job.status, 'completed');
    const file = await account.get(job.download_url);
    assert.equal(file.status, 200);
    assert.equal(Number(file.headers['content-length']), job.bytes);
    return { job, text: file.text, type: String(file.headers['content-type']) };
  };

  await t.test('exports all contacts or those that match a rule, as CSV without formulas or as NDJSON', async () => {
    const account = testClient(app);
    const formulas = [
      ...['=HYPERLINK("http://x")', '+1', '-1', '@x', "'=quoted", '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠x', "'＝quoted"],
      ...['  =1', '\u00A0=1', '\u200B=1', '\u200B \uFEFF=1', '\u2060-1', "' =quoted"],
    ];
    const names = [...formulas, 'Ada'];
    const contacts = names.map((first_name, index) => ({
      email: `e${index}@example.com`,
      first_name,
      attributes: { seats: -index, note: first_name },
    }));
    await account.post('/v2/contacts/batch', { contacts });
    const { job, text, type } = await exportFile(account, {});
    assert.deepEqual([job.rows, type], [names.length, 'text/csv; charset=utf-8']);
    const [header = [], ...lines]: string[][] = parse(text);
    assert.match(header.join(), /^id,status,revision,.*,email,phone,.*,attributes\.note:string,attributes\.seats:number$/);
    const cells = (name: string) => lines.map((line) => line[header.indexOf(name)] ?? '');
    for (const cell of lines.flatMap((line) => line.filter((_, index) => header[index] !== 'attributes.seats:number')))
      assert.doesNotMatch(cell, /^(?:[\t\r\n]|[\s\u200B-\u200F\u2060]*[=+\-@＝＋－＠])/);
    assert.deepEqual(cells('attributes.note:string'), [...formulas.map((text) => `'${text}`), 'Ada']);
    assert.deepEqual(cells('attributes.seats:number').slice(0, 2), ['0', '-1'], 'a number is not escaped');
    const { data: list } = await account.get('/v2/contacts?limit=100');
    const ids = list.items.slice(0, 3).map((contact: Contact) => contact.id);
    const chosen = await exportFile(account, { format: 'ndjson', select: { ids: [...ids, 'contact_unknown'] } });
    const idsIn = (file: string) =>
      file
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id);
    assert.deepEqual([idsIn(chosen.text), chosen.job.rows], [ids.toSorted(), 3], 'selected as for a bulk job');
    const filtered = await exportFile(account, { format: 'ndjson', select: { filter: { 'attributes.seats': '-2' } } });
    assert.equal(filtered.job.rows, 1);
    const refused = await account.post(path, { select: { ids }, rule: { field: 'email', op: 'exists' } });
    assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/select']);
    const json = await exportFile(account, { format: 'ndjson', rule: { field: 'first_name', op: 'eq', value: 'ada' } });
    const { data } = await account.get(`/v2/contacts?email=e${names.length - 1}@example.com`);
    assert.deepEqual(JSON.parse(json.text), data.items[0]);
  });

  await t.test('an export with the maximum of attributes can be imported unchanged, with all their types', async () => {
    const account = testClient(app);
    await declareTexts(account);
    await account.post('/v2/contacts', { email: 'first@example.com', attributes: { note: '2026-05-01' } });
    await fillAttributeKeys(parts, account);
    for (const format of ['csv', 'ndjson']) {
      const { text } = await exportFile(account, { format });
      const elsewhere = testClient(app);
      const job = await importFile(elsewhere, text, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' });
      assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', 6, 0]);
      const note = await elsewhere.post('/v2/contacts', { email: 'text@example.com', attributes: { note: 'a text' } });
      assert.equal(note.status, 201, note.text);
    }
  });

  await t.test(
    'with `evidence`, each current consent has its evidence, including that of merged contacts, and another account can import it',
    async () => {
      const account = testClient(app);
      const evidence = { ip: '203.0.113.7', source: 'Fair', submitted_at: '2024-03-01T09:00:00.000Z' };
      const said = { status: 'subscribed', method: 'form', at: '2024-03-01T10:00:00.000Z' };
      const consent = { email: { ...said, evidence }, topics: { news: { sms: { ...said, evidence: { source: 'Shop' } } } } };
      await account.post('/v2/contacts', {
        email: 'ada@example.com',
        consent: { email: { ...said, status: 'pending', evidence: { source: 'old' } } },
      });
      await account.put('/v2/contacts', { email: 'ada@example.com', consent });
      const survivor = await account.post('/v2/contacts', { external_id: 'x1', consent: { email: null } });
      const merged = await account.post('/v2/contacts', {
        phone: '+4930901820',
        consent: { sms: { ...said, evidence: { source: 'Call' } } },
      });
      const done = await account.post(`/v2/contacts/${survivor.data.id}/merge`, { source_id: merged.data.id });
      assert.equal(done.status, 200, done.text);
      const { text } = await exportFile(account, { format: 'ndjson', evidence: true });
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const ada = lines.find(({ email }) => email === 'ada@example.com');
      assert.deepEqual(ada.consent.email, { ...said, evidence });
      assert.deepEqual(ada.consent.topics.news.sms, { ...said, evidence: { source: 'Shop' } });
      assert.equal(lines.find(({ external_id }) => external_id === 'x1').consent.sms.evidence.source, 'Call');
      const elsewhere = testClient(app);
      const job = await importFile(elsewhere, text, { type: 'application/x-ndjson', query: 'match_on=any' });
      assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', 2, 0]);
      assert.equal((await exportFile(elsewhere, { format: 'ndjson', evidence: true })).text.includes('"source":"Call"'), true);
      const csv = await account.post(path, { format: 'csv', evidence: true });
      assert.deepEqual([csv.status, csv.error.details[0].path], [400, '/evidence']);
    },
  );

  await t.test('an export without contacts has a file', async () => {
    const account = testClient(app);
    assert.match((await exportFile(account, {})).text, /^id,status/);
    assert.equal((await exportFile(account, { format: 'ndjson' })).text, '');
  });

  await t.test('the file is removed when it expires', async () => {
    const account = testClient(app);
    const { job } = await exportFile(account, {});
    assert.ok(Date.parse(job.expires_at) - Date.parse(job.finished_at) === 24 * 60 * 60 * 1_000);
    await parts.mongo.db.collection<{ _id: string }>('exports').updateOne({ _id: job.id }, { $set: { expires_at: new Date() } });
    assert.equal((await account.get(job.download_url)).status, 404);
    assert.deepEqual((await account.get(path)).data.items, []);
    const pieces = parts.mongo.db.collection('file_chunks');
    await eventually(async () => (await pieces.countDocuments({ file_id: job.id })) === 0);
  });

  await t.test('exports more than one page of contacts completely', async () => {
    const account = testClient(app);
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `p${index}@example.com` }));
    await account.post('/v2/contacts/batch', { contacts });
    await account.post('/v2/contacts', { email: 'last@example.com' });
    const { text } = await exportFile(account, { format: 'ndjson' });
    const emails = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).email);
    assert.deepEqual([emails.length, new Set(emails).size], [1_001, 1_001]);
  });

  await t.test('importing an export changes nothing in its account and copies everything to another', async () => {
    const all = async (account: Client): Promise<Contact[]> => (await account.get('/v2/contacts?limit=100&sort=created_at')).data.items;
    const given = (contacts: Contact[]) =>
      contacts.map(({ id, revision, created_at, updated_at, ...members }) => members).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const nameOf = ({ external_id, email, phone }: Pick<Contact, 'external_id' | 'email' | 'phone'>) => `${external_id} ${email} ${phone}`;
    await fc.assert(
      fc.asyncProperty(
        // Each with at least one of the three identifiers.
        fc.array(fc.tuple(fc.integer({ min: 1, max: 7 }), contactMembers), { minLength: 1, maxLength: 14 }),
        fc.constantFrom('csv', 'ndjson'),
        async (people, format) => {
          const account = testClient(app);
          await declareTexts(account);
          const contacts = people.map(([has, members], index) => ({
            ...members,
            ...(has % 2 === 1 && { external_id: `=x${index}` }),
            ...(has % 4 > 1 && { email: `Q${index}@example.com` }),
            ...(has > 3 && { phone: `+49309018${20 + index}` }),
          }));
          const { data } = await account.post('/v2/contacts/batch', { match_on: 'any', contacts });
          assert.equal(data.counts.created, people.length, JSON.stringify(data));
          const { text } = await exportFile(account, { format });
          const options = { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' };
          const again = await importFile(account, text, options);
          assert.deepEqual([again.status, again.rows.unchanged, again.rows.read], ['completed', people.length, people.length]);
          const elsewhere = testClient(app);
          await importFile(elsewhere, text, options);
          assert.deepEqual(given(await all(elsewhere)), given(await all(account)));
        },
      ),
      { numRuns: 12 },
    );
  });
});
