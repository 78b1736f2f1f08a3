import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { parse } from 'csv-parse/sync';
import { fillAttributeKeys } from '../../test/attribute-keys.ts';
import { findContact } from '../../test/contacts.ts';
import { importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/imports';

test('rows that fail', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => {
      const { data } = await client.post(path, 'email\na@example.com\n', { 'content-type': 'text/csv' });
      return `${path}/${data.id}/errors.csv`;
    },
  });

  await t.test('failed rows list everything wrong with them, and can be corrected and imported', async () => {
    const account = testClient(app);
    const rows = ['nope,=1+1,x,Mars/Olympus', "'=b@example.com,'=2,y,", 'c@example.com,-c,z,UTC'];
    const job = await importFile(account, ['email,first_name,=row,timezone', ...rows].join('\n'));
    assert.deepEqual([job.rows.created, job.rows.failed], [2, 1]);
    const { text } = await account.get(job.errors_url);
    const [header, ...lines]: string[][] = parse(text);
    assert.deepEqual(header, ['row', 'field', 'code', 'message', 'email', 'first_name', "'=row", 'timezone']);
    assert.equal(lines.length, 1);
    assert.deepEqual(lines[0]?.slice(4), ['nope', "'=1+1", 'x', 'Mars/Olympus'], 'formulas are escaped');
    assert.match(lines[0]?.[3] ?? '', /^email: .+; timezone: expected an IANA time zone/);
    const corrected = text.replace('nope', 'a@example.com').replace('Mars/Olympus', 'UTC');
    assert.equal((await importFile(account, corrected)).rows.created, 1);
    assert.equal((await findContact(account, 'a@example.com')).first_name, '=1+1');
  });

  await t.test('a row with extra or missing cells is shown with all it had, and fails until it is corrected', async () => {
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
    assert.equal((await findContact(account, 'a@example.com')).company, 'Foo, Inc');
  });

  await t.test('a row that is not UTF-8 does not affect the others', async () => {
    const account = testClient(app);
    const file = Buffer.concat([
      Buffer.from('email,first_name\n'),
      Buffer.from('c@example.com,Z\xfcrich\n', 'latin1'),
      Buffer.from('d@example.com,Dä\n'),
    ]);
    const job = await importFile(account, file);
    assert.deepEqual([job.rows.created, job.rows.failed], [1, 1]);
    assert.equal((await findContact(account, 'd@example.com')).first_name, 'Dä');
  });

  await t.test('a row that exceeds the limit of attribute keys does not affect the others', async () => {
    const account = testClient(app);
    await fillAttributeKeys(parts, account, 1);
    const lines = ['{"email": "a@example.com", "attributes": {"x": 1, "y": 1}}', '{"email": "b@example.com", "attributes": {"x": 1}}'];
    for (const query of ['dry_run=true', '']) {
      const job = await importFile(account, lines.join('\n'), { query, type: 'application/x-ndjson' });
      assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', 1, 1]);
      assert.match((await account.get(job.errors_url)).text, /\n1,attributes,PLAN_LIMIT_EXCEEDED/);
    }
  });

  await t.test('a failed row is erased with the contact whose address it contains', async () => {
    const account = testClient(app);
    const { data: person } = await account.post('/v2/contacts', { email: 'Verysecret@example.com' });
    const job = await importFile(account, 'email,timezone\nverysecret@EXAMPLE.com,Mars\nother@example.com,Mars\n');
    assert.match((await account.get(job.errors_url)).text, /,verysecret@/);
    await account.post(`/v2/contacts/${person.id}/erase`);
    await eventually(async () => !(await account.get(job.errors_url)).text.includes('verysecret'));
    assert.match((await account.get(job.errors_url)).text, /\n1,timezone,.*,,\n2,timezone,.*,other@example.com,Mars\n/);
  });
});
