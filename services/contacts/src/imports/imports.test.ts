import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { ImportCompleted } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys, testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { parse } from 'csv-parse/sync';
import { fillAttributeKeys } from '../../test/attribute-keys.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/imports';
const csv = { 'content-type': 'text/csv' };

test('imports', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const jobOf = async (client: ReturnType<typeof testClient>) => (await client.post(path, 'email\na@example.com\n', csv)).data.id;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: () => path });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: async (client) => `${path}/${await jobOf(client)}` });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `${path}/${await jobOf(client)}/errors.csv`,
  });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:write', url: async (client) => `${path}/${await jobOf(client)}/cancel` });

  const contact = async (account: ReturnType<typeof testClient>, email: string) =>
    (await account.get(`/v2/contacts?email=${encodeURIComponent(email)}`)).data.items[0];
  const count = async (account: ReturnType<typeof testClient>) =>
    (await account.get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count;

  /** A file that is not text. */
  async function sendBytes(accountId: string, payload: Buffer) {
    const headers = { [contextHeader]: signContext(contextKeys, contextOf(accountId), 'POST', path), ...csv };
    const answer = await app.inject({ method: 'POST', url: path, headers, payload });
    return { statusCode: answer.statusCode, ...answer.json() };
  }

  await t.test('a CSV file becomes contacts, its wrong rows a file of what is wrong', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'known@example.com', first_name: 'K', attributes: { seats: 1 } });
    const file = [
      '\ufeffE-Mail;First Name;City;Seats;Tags;Notes',
      'ada@example.com;"Ada; the ""first""";Berlin;3;vip,b;x',
      'known@example.com;;Bonn;2;;',
      ';;;;;',
      'nope;No;;;;',
      '=cmd@example.com;;;;;',
      'short@example.com;S',
      'ADA@example.com;;;many;;',
      'bo@bücher.example;"Bo',
      'line";;;;',
      ' ;;;;;',
      '',
    ].join('\r\n');
    const mapping = encodeURIComponent(JSON.stringify({ Seats: 'attributes.seats', Notes: null }));
    const answer = await account.post(`${path}?mapping=${mapping}`, file, csv);
    assert.deepEqual([answer.status, answer.headers.location], [202, `${path}/${answer.data.id}`]);
    const job = await endOfJob(account, `${path}/${answer.data.id}`);
    assert.deepEqual([job.status, job.progress, job.error], ['completed', 1, null]);
    assert.deepEqual(job.rows, { read: 7, created: 3, updated: 1, unchanged: 0, failed: 3 });
    assert.deepEqual(job.mapping, {
      'E-Mail': 'email',
      'First Name': 'first_name',
      City: 'address.city',
      Seats: 'attributes.seats',
      Tags: 'tags',
      Notes: null,
    });
    const ada = await contact(account, 'ada@example.com');
    assert.deepEqual(
      [ada.first_name, ada.address.city, ada.attributes, ada.tags],
      ['Ada; the "first"', 'Berlin', { seats: 3 }, ['vip', 'b']],
    );
    assert.deepEqual([ada.source, ada.consent.email.method], ['import', 'import']);
    const known = await contact(account, 'known@example.com');
    assert.deepEqual(
      [known.first_name, known.address.city, known.attributes.seats, known.source],
      ['K', 'Bonn', 2, 'api'],
      'empty cells say nothing',
    );
    assert.equal((await contact(account, 'bo@bücher.example')).first_name, 'Bo\r\nline');

    const errors = await account.get(job.errors_url);
    assert.match(String(errors.headers['content-type']), /text\/csv/);
    const lines = errors.text.trim().split('\n');
    assert.equal(lines[0], 'row,field,code,message,E-Mail,First Name,City,Seats,Tags,Notes');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',').slice(0, 2)),
      [
        ['3', 'email'],
        ['5', ''],
        ['6', 'attributes.seats'],
      ],
    );
    const told = await events.next(ImportCompleted, ({ data }) => data.import_id === job.id);
    assert.deepEqual(told.data.rows, job.rows);
    // The file is not kept.
    const chunks = parts.mongo.db.collection('file_chunks');
    await eventually(async () => (await chunks.countDocuments({ file_id: job.id })) === 0);
  });

  await t.test('lines of JSON too, with what GET tells', async () => {
    const account = testClient(app);
    const { data: kept } = await account.post('/v2/contacts', { email: 'kept@example.com', tags: ['a'] });
    const file = [
      JSON.stringify(kept),
      '',
      '{"email": "new@example.com", "attributes": {"n": 1}}',
      '{"email": "new@example.com", "unheard_of": 1}',
      'not json',
      '[1]',
      '{"phone": "+4930901820"}',
    ].join('\r\n');
    const job = await importFile(account, file, { query: 'match_on=email', type: 'application/x-ndjson' });
    assert.deepEqual(job.rows, { read: 6, created: 1, updated: 0, unchanged: 1, failed: 4 });
    assert.equal(job.mapping, null);
    const errors = (await account.get(job.errors_url)).text;
    assert.match(errors, /^row,field,code,message,line\n/);
    assert.match(errors, /\n6,email,VALIDATION_ERROR,"email is needed.*,"\{""phone"": ""\+4930901820""\}"\n/);
  });

  await t.test('the same row twice is one contact, also across the transactions of a larger file', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 1_300 }, (_, index) => `m${index % 700}@example.com,N${index % 700}`);
    const job = await importFile(account, ['email,first_name', ...rows].join('\n'));
    assert.deepEqual(job.rows, { read: 1_300, created: 700, updated: 0, unchanged: 600, failed: 0 });
    assert.equal(await count(account), 700);
  });

  await t.test('a header, or a line, that states the type of an attribute declares it', async () => {
    const account = testClient(app);
    const job = await importFile(
      account,
      'email,attributes.x:string,attributes.on:date\na@example.com,2026-05-01,soon\nb@example.com,text,\n',
    );
    assert.deepEqual([job.rows.created, job.rows.failed], [1, 1], 'what is stated holds for the row that brings the key, too');
    const line = (email: string, value: string, type: string) =>
      JSON.stringify({ email, attributes: { y: value }, attribute_types: { y: type } });
    const lines = [line('c@example.com', '2026-05-01', 'string'), line('d@example.com', 'x', 'strange')];
    const other = await importFile(account, lines.join('\n'), { type: 'application/x-ndjson' });
    assert.deepEqual([other.rows.created, other.rows.failed], [1, 1]);
    const { items } = (await account.get('/v2/contacts/attributes')).data;
    assert.deepEqual(
      items.map(({ key, type }: Record<string, string>) => [key, type]),
      [
        ['x', 'string'],
        ['y', 'string'],
      ],
    );
  });

  await t.test('columns may be called what no member of an object can, and those without a name fill nothing', async () => {
    const account = testClient(app);
    const file = `email,$spent,a\0b,a.b,,,${'x'.repeat(600)},Plan\na@example.com,1,2,3,4,5,6,pro\n`;
    const mapping = encodeURIComponent('{"$spent": "attributes.spent", "a\\u0000b": "first_name", "a.b": "last_name"}');
    const job = await importFile(account, file, { query: `mapping=${mapping}` });
    assert.deepEqual([job.status, job.rows.created, job.mapping.$spent, job.mapping['']], ['completed', 1, 'attributes.spent', null]);
    const { first_name, last_name, attributes } = await contact(account, 'a@example.com');
    assert.deepEqual([first_name, last_name, attributes], ['2', '3', { spent: '1' }]);
    const twice = await account.post(`${path}?mapping=${encodeURIComponent('{"": "first_name"}')}`, file, csv);
    assert.match(twice.error.message, /Columns 5 and 6 are both called ""/);
  });

  await t.test('a consent that does not say how it was given was given by the import, unless it is known already', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'form@example.com', consent: { email: { status: 'subscribed', method: 'form' } } });
    const file =
      'email,consent.email.status,consent.topics\nform@example.com,subscribed,\nnew@example.com,subscribed,"{""news"":{""email"":{""status"":""pending""}}}"\n';
    await importFile(account, file);
    assert.equal((await contact(account, 'form@example.com')).consent.email.method, 'form');
    const { email, topics } = (await contact(account, 'new@example.com')).consent;
    assert.deepEqual([email.method, topics.news.email.method], ['import', 'import']);
  });

  await t.test('what failed can be corrected and imported, each row with all that is wrong with it', async () => {
    const account = testClient(app);
    const rows = ['nope,=1+1,x,Mars/Olympus', "'=b@example.com,'=2,y,", 'c@example.com,-c,z,UTC'];
    const job = await importFile(account, ['email,first_name,=row,timezone', ...rows].join('\n'));
    assert.deepEqual([job.rows.created, job.rows.failed], [2, 1]);
    const { text } = await account.get(job.errors_url);
    const [header, ...lines]: string[][] = parse(text);
    assert.deepEqual(header, ['row', 'field', 'code', 'message', 'email', 'first_name', "'=row", 'timezone']);
    assert.equal(lines.length, 1);
    assert.deepEqual(lines[0]?.slice(4), ['nope', "'=1+1", 'x', 'Mars/Olympus'], 'nothing runs as a formula');
    assert.match(lines[0]?.[3] ?? '', /^email: .+; timezone: expected an IANA time zone/);
    const corrected = text.replace('nope', 'a@example.com').replace('Mars/Olympus', 'UTC');
    assert.equal((await importFile(account, corrected)).rows.created, 1);
    assert.equal((await contact(account, 'a@example.com')).first_name, '=1+1');
  });

  await t.test('a row with other columns than the header is shown with all it had, and is not taken before it is corrected', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,company\na@example.com,Foo, Inc\nb@example.com\n');
    assert.equal(job.rows.failed, 2);
    const { text } = await account.get(job.errors_url);
    const rows: string[][] = parse(text, { relax_column_count: true });
    assert.deepEqual(
      rows.slice(1).map((cells) => cells.slice(4)),
      [['a@example.com', 'Foo', ' Inc'], ['b@example.com']],
    );
    const untouched = await importFile(account, text);
    assert.deepEqual([untouched.rows.created, untouched.rows.failed], [0, 2]);
    const corrected = await importFile(account, text.replace('Foo, Inc', '"Foo, Inc"').replace('b@example.com', 'b@example.com,Bar'));
    assert.equal(corrected.rows.created, 2);
    assert.equal((await contact(account, 'a@example.com')).company, 'Foo, Inc');
  });

  await t.test('an export of before an unsubscription forgets none of it', async () => {
    const account = testClient(app);
    const out = { status: 'unsubscribed', at: '2026-05-05T00:00:00.000Z', method: 'form' };
    const said = { email: { status: 'subscribed', at: '2026-05-04T00:00:00.000Z', method: 'form' }, sms: null };
    for (const format of ['csv', 'ndjson']) {
      const email = `early@${format}.example`;
      const { data: early } = await account.post('/v2/contacts', { email, consent: { ...said, topics: { news: said } } });
      const { data: job } = await account.post('/v2/contacts/exports', { format });
      const { download_url } = await endOfJob(account, `/v2/contacts/exports/${job.id}`);
      const { text } = await account.get(download_url);
      const left = { sms: out, topics: { news: { sms: out }, offers: { email: out } } };
      const { data: later } = await account.put(`/v2/contacts/${early.id}/consent`, left);
      const nothing = ['{"email":null,"sms":null,"topics":null}', '{"sms":null,"topics":{"news":null}}'];
      const lines = nothing.map((consent) => `{"email":"${email}","consent":${consent}}\n`).join('');
      for (const [file, type] of [
        [text, format === 'csv' ? 'text/csv' : 'application/x-ndjson'],
        [`email,consent.topics\n${email},null\n`, 'text/csv'],
        [lines, 'application/x-ndjson'],
      ] as const)
        assert.equal((await importFile(account, file, { type })).rows.failed, 0);
      const { email: _, topics, ...now } = (await account.get(`/v2/contacts/${early.id}/consent`)).data;
      assert.deepEqual([now.sms, topics.news.sms, topics.offers.email], [later.sms, later.topics.news.sms, later.topics.offers.email]);
    }
  });

  await t.test('a consent of before an unsubscription is logged once, as what the import said, changes or not', async () => {
    const account = testClient(app);
    const { data: person } = await account.post('/v2/contacts', {
      email: 'gone@example.com',
      consent: { email: { status: 'unsubscribed', at: '2026-05-05T00:00:00Z' } },
    });
    const row = 'gone@example.com,subscribed,2026-05-04T00:00:00Z';
    const file = `email,consent.email.status,consent.email.at,first_name\n${row},\n${row},G\n${row},H\n`;
    for (const updated of [2, 0]) {
      const job = await importFile(account, updated ? file : file.replace(',G', ',').replace(',H', ','));
      assert.deepEqual([job.rows.updated, job.rows.unchanged], [updated, 3 - updated]);
    }
    const { items } = (await account.get(`/v2/contacts/${person.id}/consent/log`)).data;
    const outdated = items.flatMap((entry: { outdated: { method: string } | null }) => entry.outdated?.method ?? []);
    assert.deepEqual(outdated, ['import']);
    const unchanged = await importFile(account, `email,consent.email.status,consent.email.at\n${row.replace('05-04', '05-03')}\n`);
    assert.deepEqual(unchanged.rows.unchanged, 1);
    assert.equal((await account.get(`/v2/contacts/${person.id}/consent/log`)).data.items.length, items.length + 1);
  });

  await t.test('of types that lines state of an attribute the first holds', async () => {
    const account = testClient(app);
    const line = (email: string, value: string, type: string) =>
      JSON.stringify({ email, attributes: { z: value }, attribute_types: { z: type } });
    const lines = [line('a@example.com', '2026-05-01', 'string'), line('b@example.com', '2026-05-01', 'date')];
    const job = await importFile(account, lines.join('\n'), { type: 'application/x-ndjson' });
    assert.equal(job.rows.created, 2);
    const { items } = (await account.get('/v2/contacts/attributes')).data;
    assert.equal(items[0].type, 'string');
  });

  await t.test('a row that failed is erased with the person whose address it has', async () => {
    const account = testClient(app);
    const { data: person } = await account.post('/v2/contacts', { email: 'Verysecret@example.com' });
    const job = await importFile(account, 'email,timezone\nverysecret@EXAMPLE.com,Mars\nother@example.com,Mars\n');
    assert.match((await account.get(job.errors_url)).text, /,verysecret@/);
    await account.post(`/v2/contacts/${person.id}/erase`);
    await eventually(async () => !(await account.get(job.errors_url)).text.includes('verysecret'));
    assert.match((await account.get(job.errors_url)).text, /\n1,timezone,.*,,\n2,timezone,.*,other@example.com,Mars\n/);
  });

  await t.test('rows may pass an identity from contact to contact', async () => {
    const account = testClient(app);
    await importFile(account, 'external_id,email\n1,x@example.com\n2,y@example.com\n');
    const rows = ['2,,Two', '1,z@example.com,', '2,x@example.com,', '1,y@example.com,One'];
    const job = await importFile(account, ['external_id,email,first_name', ...rows].join('\n'), { query: 'match_on=external_id' });
    assert.deepEqual([job.status, job.rows.updated, job.rows.failed], ['completed', 4, 0]);
    assert.equal((await contact(account, 'x@example.com')).external_id, '2');
  });

  await t.test('columns may be called what every object has', async () => {
    const account = testClient(app);
    const file = 'email,constructor,toString,__proto__,attributes.valueOf\na@example.com,b,c,d,e\n';
    const job = await importFile(account, file, { query: `mapping=${encodeURIComponent('{"toString": "first_name"}')}` });
    assert.deepEqual([job.status, job.rows.created, job.error], ['completed', 1, null]);
    assert.deepEqual([job.mapping.constructor, job.mapping.toString], [null, 'first_name']);
    const { first_name, attributes } = await contact(account, 'a@example.com');
    assert.deepEqual([first_name, Object.entries(attributes)], ['c', [['valueOf', 'e']]]);
  });

  await t.test('a row with an attribute key too many fails alone', async () => {
    const account = testClient(app);
    await fillAttributeKeys(parts, account, 1);
    const lines = ['{"email": "a@example.com", "attributes": {"x": 1, "y": 1}}', '{"email": "b@example.com", "attributes": {"x": 1}}'];
    for (const query of ['dry_run=true', '']) {
      const job = await importFile(account, lines.join('\n'), { query, type: 'application/x-ndjson' });
      assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', 1, 1]);
      assert.match((await account.get(job.errors_url)).text, /\n1,attributes,PLAN_LIMIT_EXCEEDED/);
    }
  });

  await t.test('a dry run judges every row and writes nothing', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,attributes.a\nx@example.com,1\nnope,2\n', { query: 'dry_run=true' });
    assert.deepEqual([job.rows.created, job.rows.failed, job.dry_run], [1, 1, true]);
    assert.equal(await count(account), 0);
    assert.deepEqual((await account.get('/v2/contacts/attributes')).data.items, []);
  });

  await t.test('a file that could not be imported is refused at once', async () => {
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
      ['mapping=nope', 'email\n', 'custom'],
      ['', `"email\n${'x'.repeat(100)}`, 'invalid_csv'],
    ];
    for (const [query, file, code] of refused) {
      const answer = await account.post(query ? `${path}?${query}` : path, file, csv);
      assert.deepEqual([file, answer.status, answer.error?.details?.[0]?.code], [file, 400, code]);
    }
    const otherAlphabets = [
      Buffer.from('email,prénom\na@example.com,A\n', 'latin1'),
      Buffer.from('\ufeffemail\na@example.com\n', 'utf16le'),
    ];
    for (const file of otherAlphabets) {
      const { statusCode, error } = await sendBytes(account.accountId, file);
      assert.deepEqual([statusCode, error.details[0].code], [400, 'invalid_encoding'], 'it is the header that is not UTF-8');
    }
    const json = await account.post(path, { email: 'a@example.com' });
    assert.deepEqual([json.status, json.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    assert.deepEqual((await account.get(path)).data.items, []);
  });

  await t.test('what cannot be read on fails with the reason; the rows before it stay', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,first_name\na@example.com,A\nb@example.com,"never closed\n');
    assert.deepEqual([job.status, job.error.code], ['failed', 'invalid_csv']);
    assert.equal(await count(account), 1);
  });

  await t.test('a row that is not UTF-8 fails alone', async () => {
    const account = testClient(app);
    const file = Buffer.concat([
      Buffer.from('email,first_name\n'),
      Buffer.from('c@example.com,Z\xfcrich\n', 'latin1'),
      Buffer.from('d@example.com,Dä\n'),
    ]);
    const { data } = await sendBytes(account.accountId, file);
    const job = await endOfJob(account, `${path}/${data.id}`);
    assert.deepEqual([job.rows.created, job.rows.failed], [1, 1]);
    assert.equal((await contact(account, 'd@example.com')).first_name, 'Dä');
  });

  await t.test('an upload that is cut off leaves nothing', async () => {
    const account = testClient(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const address = app.server.address();
    assert.ok(typeof address === 'object' && address);
    const request = httpRequest({
      port: address.port,
      method: 'POST',
      path,
      headers: {
        [contextHeader]: signContext(contextKeys, contextOf(account.accountId), 'POST', path),
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
    assert.equal(await count(account), 0);
  });

  await t.test('is cancelled once, and not after its end', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email\na@example.com\n');
    const late = await account.post(`${path}/${job.id}/cancel`);
    assert.deepEqual([late.status, late.error.code], [409, 'INVALID_STATE']);
  });

  await t.test('the same Idempotency-Key is the same import, and another file with it is refused', async () => {
    const account = testClient(app);
    const key = { ...csv, 'idempotency-key': 'i1', 'content-length': '20' };
    const first = await account.post(path, 'email\na@example.com\n', key);
    const again = await account.post(path, 'email\na@example.com\n', key);
    assert.deepEqual([again.data.id, again.headers['idempotent-replayed']], [first.data.id, 'true']);
    const other = await account.post(path, 'email\nab@example.com\n', { ...key, 'content-length': '21' });
    assert.deepEqual([other.status, other.error?.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

const contextOf = (accountId: string) => ({
  account_id: accountId,
  principal_id: 'key_test',
  permission: 'admin' as const,
  scopes: null,
  request_id: 'req_12345678',
  expires_at: Date.now() + 60_000,
});
