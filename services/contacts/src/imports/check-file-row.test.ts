import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { findContact } from '../../test/contacts.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

test('the content of rows', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });

  await t.test('NDJSON lines can contain the read-only fields of GET', async () => {
    const account = testClient(app);
    const { data: kept } = await account.post('/v2/contacts', { external_id: 'kept', email: 'kept@example.com', tags: ['a'] });
    const file = [
      JSON.stringify(kept),
      '',
      '{"external_id": "new", "attributes": {"n": 1}}',
      '{"external_id": "new", "unheard_of": 1}',
      'not json',
      '[1]',
      '{"phone": "+4930901820"}',
    ].join('\r\n');
    const job = await importFile(account, file, { query: 'match_on=external_id', type: 'application/x-ndjson' });
    assert.deepEqual(job.rows, { read: 6, created: 1, updated: 0, unchanged: 1, failed: 4 });
    assert.equal(job.mapping, null);
    const errors = (await account.get(job.errors_url)).text;
    assert.match(errors, /^row,field,code,message,line\n/);
    assert.match(errors, /\n6,external_id,VALIDATION_ERROR,"external_id is required.*,"\{""phone"": ""\+4930901820""\}"\n/);
  });

  await t.test('full names are split, and dates, countries and yes or no are read as people write them', async () => {
    const account = testClient(app);
    const mapping = { Name: 'full_name', Born: 'attributes.born:date:dmy', Land: 'address.country', Kunde: 'attributes.customer:boolean' };
    const file =
      'email,Name,Born,Land,Kunde\na@example.com,Ludwig van Beethoven,17.12.1770,Österreich,ja\n' +
      'b@example.com,"Lovelace, Ada",1815-12-10,GB,Nein\nc@example.com,Cher,31.02.1946,US,yes\n';
    const job = await importFile(account, file, { query: `mapping=${encodeURIComponent(JSON.stringify(mapping))}` });
    assert.deepEqual([job.rows.created, job.rows.failed], [2, 1], 'a day that does not exist is an error of its row');
    const read = async (email: string) => {
      const { first_name, last_name, address, attributes } = await findContact(account, email);
      return [first_name, last_name, address.country, attributes];
    };
    assert.deepEqual(await read('a@example.com'), ['Ludwig', 'van Beethoven', 'AT', { born: '1770-12-17', customer: true }]);
    assert.deepEqual(await read('b@example.com'), ['Ada', 'Lovelace', 'GB', { born: '1815-12-10', customer: false }]);
  });

  await t.test('a header or a line can declare the type of an attribute', async () => {
    const account = testClient(app);
    const job = await importFile(
      account,
      'email,attributes.x:string,attributes.on:date\na@example.com,2026-05-01,soon\nb@example.com,text,\n',
    );
    assert.deepEqual([job.rows.created, job.rows.failed], [1, 1], 'the stated type also applies to the row that introduces the key');
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

  await t.test('the first type that lines state for an attribute applies', async () => {
    const account = testClient(app);
    const line = (email: string, value: string, type: string) =>
      JSON.stringify({ email, attributes: { z: value }, attribute_types: { z: type } });
    const lines = [line('a@example.com', '2026-05-01', 'string'), line('b@example.com', '2026-05-01', 'date')];
    const job = await importFile(account, lines.join('\n'), { type: 'application/x-ndjson' });
    assert.equal(job.rows.created, 2);
    const { items } = (await account.get('/v2/contacts/attributes')).data;
    assert.equal(items[0].type, 'string');
  });

  await t.test('consent without a method gets the method import, unless it is already known', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'form@example.com', consent: { email: { status: 'subscribed', method: 'form' } } });
    const file =
      'email,consent.email.status,consent.topics\nform@example.com,subscribed,\nnew@example.com,subscribed,"{""news"":{""email"":{""status"":""pending""}}}"\n';
    await importFile(account, file);
    assert.equal((await findContact(account, 'form@example.com')).consent.email.method, 'form');
    const { email, topics } = (await findContact(account, 'new@example.com')).consent;
    assert.deepEqual([email.method, topics.news.email.method], ['import', 'import']);
  });

  await t.test('importing an export from before an unsubscription does not clear it', async () => {
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

  await t.test('a consent from before an unsubscription is logged once, as imported, whether it changes anything or not', async () => {
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
});
