import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportCompleted } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { countContacts, findContact } from '../../test/contacts.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';
import { maxUnfinished } from './import.ts';

const path = '/v2/contacts/imports';
const csv = { 'content-type': 'text/csv' };

/** Queued imports, and what happens to them. */
test('queued imports', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app, background = [] } = await testService(t, parts, buildApp);
  const pieces = parts.mongo.db.collection('file_chunks');
  const send = (account: Client, file: string) => account.post(path, file, csv);

  /** Runs the background work until the given work is done. */
  async function working<Result>(until: () => Promise<Result>): Promise<Result> {
    for (const part of background) part.start();
    try {
      return await until();
    } finally {
      await Promise.all(background.map((part) => part.stop()));
    }
  }

  const account = testClient(app);
  const rows = Array.from({ length: 30_000 }, (_, index) => `row${index}@example.com,${'x'.repeat(60)}`);
  const holed = (await send(account, `email,first_name\n${rows.join('\n')}`)).data;
  assert.equal((await pieces.deleteMany({ file_id: holed.id, start: 2 * 1024 * 1024 })).deletedCount, 1);

  const other = testClient(app);
  const cancelled = (await send(other, 'email\na@example.com\n')).data;
  assert.equal((await other.post(`${path}/${cancelled.id}/cancel`)).data.status, 'cancelled');
  assert.equal(await pieces.countDocuments({ file_id: cancelled.id }), 1);

  const many = testClient(app);
  const responses = [];
  for (let index = 0; index <= maxUnfinished; index += 1) responses.push(await send(many, `email\nm${index}@example.com\n`));
  const last = responses.pop();
  assert.ok(responses.every(({ status }) => status === 202));
  assert.deepEqual([last?.status, last?.error.code, last?.headers['retry-after']], [429, 'RATE_LIMITED', '30']);
  assert.equal(await pieces.countDocuments({ account_id: many.accountId }), maxUnfinished, 'a rejected file is not kept');

  await working(async () => {
    await t.test('an import with a missing file chunk fails with the reason and its progress', async () => {
      const job = await endOfJob(account, `${path}/${holed.id}`);
      assert.deepEqual([job.status, job.error.code], ['failed', 'file_gone']);
      assert.ok(job.rows.created > 0 && job.rows.created < rows.length && job.progress < 1, JSON.stringify(job));
    });
    await t.test('the file of a cancelled import is removed', async () => {
      await eventually(async () => (await pieces.countDocuments({ file_id: cancelled.id })) === 0);
    });
    await t.test('after some have ended, the account can start others', async () => {
      await eventually(async () => (await countContacts(many)) === maxUnfinished);
      await eventually(async () => (await send(many, 'email\nlast@example.com\n')).status === 202);
    });
  });
});

/** The results of the rows of a file. */
test('processing imports', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);

  await t.test('imports a CSV file, and lists its invalid rows in an error file', async () => {
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
      'bo@bücher.example;Bo;"Bonn',
      'South";;;',
      ' ;;;;;',
      '',
    ].join('\r\n');
    const mapping = encodeURIComponent(JSON.stringify({ Seats: 'attributes.seats', Notes: null }));
    const response = await account.post(`${path}?mapping=${mapping}`, file, csv);
    assert.deepEqual([response.status, response.headers.location], [202, `${path}/${response.data.id}`]);
    const job = await endOfJob(account, `${path}/${response.data.id}`);
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
    const ada = await findContact(account, 'ada@example.com');
    assert.deepEqual(
      [ada.first_name, ada.address.city, ada.attributes, ada.tags],
      ['Ada; the "first"', 'Berlin', { seats: 3 }, ['vip', 'b']],
    );
    assert.deepEqual([ada.source, ada.consent.email.method], ['import', 'import']);
    const known = await findContact(account, 'known@example.com');
    assert.deepEqual(
      [known.first_name, known.address.city, known.attributes.seats, known.source],
      ['K', 'Bonn', 2, 'api'],
      'empty cells leave fields unchanged',
    );
    assert.equal((await findContact(account, 'bo@bücher.example')).address.city, 'Bonn\r\nSouth');

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
    const event = await events.next(ImportCompleted, ({ data }) => data.import_id === job.id);
    assert.deepEqual(event.data.rows, job.rows);
    // The file is removed.
    const chunks = parts.mongo.db.collection('file_chunks');
    await eventually(async () => (await chunks.countDocuments({ file_id: job.id })) === 0);
  });

  await t.test('a repeated row makes one contact, including across transactions of a larger file', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 1_300 }, (_, index) => `m${index % 700}@example.com,N${index % 700}`);
    const job = await importFile(account, ['email,first_name', ...rows].join('\n'));
    assert.deepEqual(job.rows, { read: 1_300, created: 700, updated: 0, unchanged: 600, failed: 0 });
    assert.equal(await countContacts(account), 700);
  });

  await t.test('finds an existing contact in a later chunk of a file that began with only new ones', async () => {
    const account = testClient(app);
    const { data: one } = await account.post('/v2/contacts', { email: 'row800@example.com' });
    const { data: other } = await account.post('/v2/contacts', { email: 'row1050@example.com' });
    const rows = Array.from({ length: 1_100 }, (_, index) => `row${index + 1}@example.com,R${index + 1}`);
    const job = await importFile(account, ['email,first_name', ...rows].join('\n'));
    assert.deepEqual(job.rows, { read: 1_100, created: 1_098, updated: 2, unchanged: 0, failed: 0 });
    assert.equal(await countContacts(account), 1_100);
    for (const { id, email } of [one, other]) {
      const contact = await findContact(account, email);
      assert.deepEqual([contact.id, contact.first_name, contact.revision], [id, email.replace(/row(.*)@.*/, 'R$1'), 2]);
    }
  });

  await t.test('a row with the external_id of another contact does not affect the others', async () => {
    const account = testClient(app);
    const { data: holder } = await account.post('/v2/contacts', { email: 'holder@example.com', external_id: 'x2' });
    const rows = ['a@example.com,x1', 'b@example.com,x2', 'c@example.com,x3'];
    const job = await importFile(account, ['email,external_id', ...rows].join('\n'), { query: 'match_on=email' });
    assert.deepEqual(job.rows, { read: 3, created: 2, updated: 0, unchanged: 0, failed: 1 });
    assert.match((await account.get(job.errors_url)).text, new RegExp(`\\n2,external_id,CONFLICT,.*${holder.id}.*,b@example.com,x2\\n$`));
    assert.deepEqual([await findContact(account, 'holder@example.com'), await countContacts(account)], [holder, 3]);
  });

  await t.test('rows can move an identifier from contact to contact', async () => {
    const account = testClient(app);
    await importFile(account, 'external_id,email\n1,x@example.com\n2,y@example.com\n');
    const rows = ['2,,Two', '1,z@example.com,', '2,x@example.com,', '1,y@example.com,One'];
    const job = await importFile(account, ['external_id,email,first_name', ...rows].join('\n'), {
      query: 'match_on=external_id&change_identifiers=true',
    });
    assert.deepEqual([job.status, job.rows.updated, job.rows.failed], ['completed', 4, 0]);
    assert.equal((await findContact(account, 'x@example.com')).external_id, '2');
  });

  await t.test('an unreadable file fails with the reason; the rows before the fault stay', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,first_name\na@example.com,A\nb@example.com,"never closed\n');
    assert.deepEqual([job.status, job.error.code], ['failed', 'invalid_csv']);
    assert.equal(await countContacts(account), 1);
  });
});
