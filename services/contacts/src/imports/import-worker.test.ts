import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportCompleted } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { countContacts, findContact } from '../../test/contacts.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';
import { unendedMax } from './import.ts';

const path = '/v2/contacts/imports';
const csv = { 'content-type': 'text/csv' };

/** What waits to be worked off, and what becomes of it then. */
test('imports that wait', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app, background = [] } = await testService(t, parts, buildApp);
  const pieces = parts.mongo.db.collection('file_chunks');
  const send = (account: Client, file: string) => account.post(path, file, csv);

  /** Works in the background until this is done. */
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
  const answers = [];
  for (let index = 0; index <= unendedMax; index += 1) answers.push(await send(many, `email\nm${index}@example.com\n`));
  const last = answers.pop();
  assert.ok(answers.every(({ status }) => status === 202));
  assert.deepEqual([last?.status, last?.error.code, last?.headers['retry-after']], [429, 'RATE_LIMITED', '30']);
  assert.equal(await pieces.countDocuments({ account_id: many.accountId }), unendedMax, 'what is refused is not kept');

  await working(async () => {
    await t.test('a file of which a piece is gone fails with the reason, and says how far it is', async () => {
      const job = await endOfJob(account, `${path}/${holed.id}`);
      assert.deepEqual([job.status, job.error.code], ['failed', 'file_gone']);
      assert.ok(job.rows.created > 0 && job.rows.created < rows.length && job.progress < 1, JSON.stringify(job));
    });
    await t.test('the file of what was cancelled is removed', async () => {
      await eventually(async () => (await pieces.countDocuments({ file_id: cancelled.id })) === 0);
    });
    await t.test('when some have ended, the account may send others', async () => {
      await eventually(async () => (await countContacts(many)) === unendedMax);
      await eventually(async () => (await send(many, 'email\nlast@example.com\n')).status === 202);
    });
  });
});

/** What becomes of the rows of a file. */
test('imports that are worked off', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);

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
      'bo@bücher.example;Bo;"Bonn',
      'South";;;',
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
      'empty cells say nothing',
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
    const told = await events.next(ImportCompleted, ({ data }) => data.import_id === job.id);
    assert.deepEqual(told.data.rows, job.rows);
    // The file is not kept.
    const chunks = parts.mongo.db.collection('file_chunks');
    await eventually(async () => (await chunks.countDocuments({ file_id: job.id })) === 0);
  });

  await t.test('the same row twice is one contact, also across the transactions of a larger file', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 1_300 }, (_, index) => `m${index % 700}@example.com,N${index % 700}`);
    const job = await importFile(account, ['email,first_name', ...rows].join('\n'));
    assert.deepEqual(job.rows, { read: 1_300, created: 700, updated: 0, unchanged: 600, failed: 0 });
    assert.equal(await countContacts(account), 700);
  });

  await t.test('in a file of nobody who is there, whoever is there after all is met in its later chunks', async () => {
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

  await t.test('a row that has the external_id of another contact than its own fails alone', async () => {
    const account = testClient(app);
    const { data: holder } = await account.post('/v2/contacts', { email: 'holder@example.com', external_id: 'x2' });
    const rows = ['a@example.com,x1', 'b@example.com,x2', 'c@example.com,x3'];
    const job = await importFile(account, ['email,external_id', ...rows].join('\n'), { query: 'match_on=email' });
    assert.deepEqual(job.rows, { read: 3, created: 2, updated: 0, unchanged: 0, failed: 1 });
    assert.match((await account.get(job.errors_url)).text, new RegExp(`\\n2,external_id,CONFLICT,.*${holder.id}.*,b@example.com,x2\\n$`));
    assert.deepEqual([await findContact(account, 'holder@example.com'), await countContacts(account)], [holder, 3]);
  });

  await t.test('rows may pass an identity from contact to contact', async () => {
    const account = testClient(app);
    await importFile(account, 'external_id,email\n1,x@example.com\n2,y@example.com\n');
    const rows = ['2,,Two', '1,z@example.com,', '2,x@example.com,', '1,y@example.com,One'];
    const job = await importFile(account, ['external_id,email,first_name', ...rows].join('\n'), {
      query: 'match_on=external_id&change_identifiers=true',
    });
    assert.deepEqual([job.status, job.rows.updated, job.rows.failed], ['completed', 4, 0]);
    assert.equal((await findContact(account, 'x@example.com')).external_id, '2');
  });

  await t.test('what cannot be read on fails with the reason; the rows before it stay', async () => {
    const account = testClient(app);
    const job = await importFile(account, 'email,first_name\na@example.com,A\nb@example.com,"never closed\n');
    assert.deepEqual([job.status, job.error.code], ['failed', 'invalid_csv']);
    assert.equal(await countContacts(account), 1);
  });
});
