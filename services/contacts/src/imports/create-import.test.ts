import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { contextKeys, testParts, testService } from '@mp/test-kit/test-parts';
import { countContacts, findContact } from '../../test/contacts.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/imports';
const csv = { 'content-type': 'text/csv' };

/** The files an import accepts, and the job it creates. */
test('imports', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const jobOf = async (client: Client) => (await client.post(path, 'email\na@example.com\n', csv)).data.id;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => path });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: async (client) => `${path}/${await jobOf(client)}` });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: async (client) => `${path}/${await jobOf(client)}/cancel` });

  await t.test('columns can have names that no field can have, and unnamed ones fill nothing', async () => {
    const account = testClient(app);
    const file = `email,$spent,a\0b,a.b,,,${'x'.repeat(600)},Plan\na@example.com,1,2,3,4,5,6,pro\n`;
    const mapping = encodeURIComponent('{"$spent": "attributes.spent", "a\\u0000b": "first_name", "a.b": "last_name"}');
    const job = await importFile(account, file, { query: `mapping=${mapping}` });
    assert.deepEqual([job.status, job.rows.created, job.mapping.$spent, job.mapping['']], ['completed', 1, 'attributes.spent', null]);
    const { first_name, last_name, attributes } = await findContact(account, 'a@example.com');
    assert.deepEqual([first_name, last_name, attributes], ['2', '3', { spent: '1' }]);
    const twice = await account.post(`${path}?mapping=${encodeURIComponent('{"": "first_name"}')}`, file, csv);
    assert.match(twice.error.message, /Columns 5 and 6 have the same name, ""/);
  });

  await t.test('columns can have the names of inherited object properties', async () => {
    const account = testClient(app);
    const file = 'email,constructor,toString,__proto__,attributes.valueOf\na@example.com,b,c,d,e\n';
    const job = await importFile(account, file, { query: `mapping=${encodeURIComponent('{"toString": "first_name"}')}` });
    assert.deepEqual([job.status, job.rows.created, job.error], ['completed', 1, null]);
    assert.deepEqual([job.mapping.constructor, job.mapping.toString], [null, 'first_name']);
    const { first_name, attributes } = await findContact(account, 'a@example.com');
    assert.deepEqual([first_name, Object.entries(attributes)], ['c', [['valueOf', 'e']]]);
  });

  await t.test(
    'default_consent applies to created contacts without consent in their row, and does not change existing contacts',
    async () => {
      const account = testClient(app);
      const { data: known } = await account.post('/v2/contacts', { email: 'known@example.com' });
      const file = (at: string) => `email,consent.email.status\nknown@example.com,\nnew@${at},\nsaid@${at},subscribed\n`;
      const statuses = async (at: string) => [
        (await findContact(account, `new@${at}`)).consent.email,
        (await findContact(account, `said@${at}`)).consent.email.status,
        await findContact(account, 'known@example.com'),
      ];
      for (const [query, said, status] of [
        ['default_consent=pending', 'pending', 'pending'],
        ['default_consent=unsubscribed', 'unsubscribed', 'unsubscribed'],
        ['', null, 'subscribed'],
      ] as const) {
        const at = `${status}.example`;
        const job = await importFile(account, file(at), { query });
        assert.deepEqual([job.default_consent, job.rows.created, job.rows.unchanged], [said, 2, 1]);
        const [made, own, other] = await statuses(at);
        assert.deepEqual([made.status, made.method, own, other], [status, 'import', 'subscribed', known]);
      }
      const wrong = await account.post(`${path}?default_consent=maybe`, 'email\na@example.com\n', csv);
      assert.deepEqual([wrong.status, wrong.error.details[0].path], [400, '/query/default_consent']);
    },
  );

  await t.test('rows whose email differs in capitals are one contact, spelled as it was first', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'Ada@example.com', first_name: 'Ada' });
    const file = 'email,first_name\nADA@EXAMPLE.COM,Ada\nada@example.com,Ada L.\nBob@example.com,Bob\nBOB@example.com,Bob\n';
    const { rows } = await importFile(account, file);
    assert.deepEqual([rows.created, rows.updated, rows.unchanged, rows.failed], [1, 1, 2, 0]);
    assert.equal((await findContact(account, 'ada@example.com')).email, 'Ada@example.com');
    assert.equal((await findContact(account, 'bob@example.com')).email, 'Bob@example.com');
  });

  await t.test('reports the delimiter it uses, and warns of columns that match no field', async () => {
    const account = testClient(app);
    const warned = async (file: string, query = '') => {
      const job = await importFile(account, file, { query });
      assert.ok(
        job.warnings.every(({ code, message }: Record<string, string>) => code === 'unmatched_column' && message?.includes('mapping')),
      );
      return [job.delimiter, job.warnings.map(({ column }: { column: string }) => column)];
    };
    const table = 'E-mail;Plan;id;Signup, date;;Notes\na@example.com;pro;7;2026-05-01;;x\n';
    assert.deepEqual(await warned(table), [';', ['Plan', 'id', 'Signup, date', 'Notes']]);
    const mapping = encodeURIComponent(JSON.stringify({ Plan: 'attributes.plan', Notes: null, id: 'external_id' }));
    assert.deepEqual(await warned(table, `mapping=${mapping}`), [';', ['Signup, date']], 'a column mapped to null causes no warning');
    assert.deepEqual(await warned('email\tPlan\nb@example.com\tx\n', 'delimiter=%09&dry_run=true'), ['\t', ['Plan']]);
    assert.deepEqual(await warned('"Name, first, last";Email;City\nx;c@example.com;Bonn\n', 'delimiter=%3B'), [';', ['Name, first, last']]);
    const { data } = await account.post('/v2/contacts/exports');
    const exported = await endOfJob(account, `/v2/contacts/exports/${data.id}`);
    assert.deepEqual(await warned((await account.get(exported.download_url)).text), [',', []], 'the columns of an export are known');
    const idAlone = 'email,id,status\ne@example.com,7,new\n';
    assert.deepEqual(await warned(idAlone), [',', ['id', 'status']], 'the column of another program is not taken for one of an export');
    const lines = await importFile(account, '{"email": "d@example.com"}', { type: 'application/x-ndjson' });
    assert.deepEqual([lines.delimiter, lines.warnings], [null, []]);
  });

  await t.test('an error file is recognised by its columns, even after several rounds', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts/exports');
    const exported = await endOfJob(account, `/v2/contacts/exports/${data.id}`);
    const whole = `${(await account.get(exported.download_url)).text}${',,,,,,nope'.padEnd(35, ',')}\n`;
    for (const [sent, left] of [
      ['email\nnope\n', []],
      [whole, []],
      ['email,row,message\nnope,7,x\n', ['row', 'message']],
    ] as const) {
      let file: string = sent;
      for (let time = 0; time < 3; time += 1) {
        const job = await importFile(account, file);
        const columns = job.warnings.map(({ column }: { column: string }) => column);
        assert.deepEqual([job.status, job.rows.failed, columns], ['completed', 1, left], file);
        file = (await account.get(job.errors_url)).text;
      }
    }
  });

  await t.test('a file can have 1,030 columns, and its failed rows can be imported again', async () => {
    const account = testClient(app);
    const columns = ['email', ...Array.from({ length: 1_029 }, (_, index) => `column ${index}`)];
    const job = await importFile(account, `${columns.join(',')}\nnope${','.repeat(1_029)}\n`);
    const again = await importFile(account, (await account.get(job.errors_url)).text.replace('nope', 'a@example.com'));
    assert.deepEqual([job.rows.failed, again.rows.created], [1, 1]);
    const { status, error } = await account.post(path, [...columns, 'one more'].join(','), csv);
    assert.deepEqual([status, error.details[0].code], [400, 'too_many_columns']);
  });

  await t.test('a test run checks every row and saves nothing', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,attributes.a\nx@example.com,1\nnope,2\n', { query: 'dry_run=true' });
    assert.deepEqual([job.rows.created, job.rows.failed, job.dry_run], [1, 1, true]);
    assert.equal(await countContacts(account), 0);
    assert.deepEqual((await account.get('/v2/contacts/attributes')).data.items, []);
  });

  await t.test('a file that cannot be imported is rejected immediately', async () => {
    const account = testClient(app);
    const refused: [query: string, file: string, code: string][] = [
      ['', '', 'too_small'],
      ['', '\ufeff', 'too_small'],
      ['', 'name,city\nAda,Berlin\n', 'missing_column'],
      ['match_on=external_id', 'email\na@example.com\n', 'missing_column'],
      ['', 'email,email\n', 'doubled_column'],
      ['', 'email,e-mail\n', 'doubled_target'],
      [`mapping=${encodeURIComponent('{"Mail": "email"}')}`, 'email\n', 'missing_column'],
      [`mapping=${encodeURIComponent('{"email": "nickname"}')}`, 'email\n', 'custom'],
      [`mapping=${encodeURIComponent('{"Name": "full_name"}')}`, 'email,Name,first_name\n', 'doubled_target'],
      [`mapping=${encodeURIComponent('{"Born": "attributes.born:number:dmy"}')}`, 'email,Born\n', 'custom'],
      ['mapping=nope', 'email\n', 'invalid_json'],
      ['', `"email\n${'x'.repeat(100)}`, 'invalid_csv'],
    ];
    for (const [query, file, code] of refused) {
      const response = await account.post(query ? `${path}?${query}` : path, file, csv);
      assert.deepEqual([file, response.status, response.error?.details?.[0]?.code], [file, 400, code]);
    }
    const otherAlphabets = [
      Buffer.from('email,prénom\na@example.com,A\n', 'latin1'),
      Buffer.from('\ufeffemail\na@example.com\n', 'utf16le'),
    ];
    for (const file of otherAlphabets) {
      const { status, error } = await account.post(path, file, csv);
      assert.deepEqual([status, error.details[0].code], [400, 'invalid_encoding'], 'the header is not UTF-8');
    }
    const json = await account.post(path, { email: 'a@example.com' });
    assert.deepEqual([json.status, json.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    assert.deepEqual((await account.get(path)).data.items, []);
  });

  await t.test('an interrupted upload leaves nothing', async () => {
    const account = testClient(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const address = app.server.address();
    assert.ok(typeof address === 'object' && address);
    const request = httpRequest({
      port: address.port,
      method: 'POST',
      path,
      headers: {
        [contextHeader]: signContext(contextKeys, contextOf(account), 'POST', path),
        ...csv,
        'content-length': 1024 ** 3,
      },
    });
    request.on('error', () => undefined);
    request.write(`email\n${'cut@example.com\n'.repeat(100_000)}`);
    const uploads = parts.mongo.db.collection('imports');
    await eventually(async () => (await uploads.countDocuments({ account_id: account.accountId, status: 'uploading' })) === 1);
    await eventually(async () => (await parts.mongo.db.collection('file_chunks').countDocuments({ account_id: account.accountId })) > 0);
    request.destroy();
    await eventually(async () => (await uploads.countDocuments({ account_id: account.accountId })) === 0);
    assert.equal(await parts.mongo.db.collection('file_chunks').countDocuments({ account_id: account.accountId }), 0);
    assert.equal(await countContacts(account), 0);
  });

  await t.test('the same Idempotency-Key returns the same import, and is rejected with another file', async () => {
    const account = testClient(app);
    const key = { ...csv, 'idempotency-key': 'i1', 'content-length': '20' };
    const first = await account.post(path, 'email\na@example.com\n', key);
    const again = await account.post(path, 'email\na@example.com\n', key);
    assert.deepEqual([again.data.id, again.headers['idempotent-replayed']], [first.data.id, 'true']);
    const other = await account.post(path, 'email\nab@example.com\n', { ...key, 'content-length': '21' });
    assert.deepEqual([other.status, other.error?.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  await t.test('can be cancelled once, and not after it has ended', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email\na@example.com\n');
    const late = await account.post(`${path}/${job.id}/cancel`);
    assert.deepEqual([late.status, late.error.code], [409, 'INVALID_STATE']);
  });
});

const contextOf = ({ accountId }: Client) => ({
  account_id: accountId,
  principal_id: 'key_test',
  permission: 'admin' as const,
  scopes: null,
  request_id: 'req_12345678',
  expires_at: Date.now() + 60_000,
});
