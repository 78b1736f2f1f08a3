import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contact, emailKey } from '@mp/contracts/contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';
import { countContacts, createContact, findContact, readContact } from './contacts.ts';
import { importFile } from './jobs.ts';

const strongestFirst = ['email', 'external_id', 'phone'] as const;
type Identifiers = Record<(typeof strongestFirst)[number], string | null>;
type Row = Identifiers & { first_name: string };

const identifiersOf = ({ email, external_id, phone }: Identifiers): Identifiers => ({
  email: email && emailKey(email),
  external_id,
  phone,
});

/** Only a few values, so that rows and contacts share them. */
const row: fc.Arbitrary<Row> = fc
  .record({
    email: fc.constantFrom(null, 'a@example.com', 'B@example.com', 'b@example.com', 'c@example.com', 'd@example.com'),
    external_id: fc.constantFrom(null, '1', '2', '3'),
    phone: fc.constantFrom(null, '+4930901820', '+4930901821', '+4930901822'),
    first_name: fc.constantFrom('Ada', 'Bo', 'Cy'),
  })
  .filter((one) => strongestFirst.some((name) => one[name] !== null));

const csvOf = (rows: readonly Row[]) =>
  [
    'email,external_id,phone,first_name',
    ...rows.map((one) => [...strongestFirst, 'first_name' as const].map((name) => one[name]).join()),
  ].join('\n');

test('rows find their contact and overwrite no other', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const all = async (account: Client): Promise<Contact[]> => (await account.get('/v2/contacts?limit=100')).data.items;

  /** Sends rows in one of the available ways and returns their results; for a file, in any order. */
  const ways = {
    async csv(account: Client, rows: readonly Row[], matchOn: string | undefined): Promise<string[]> {
      const job = await importFile(account, csvOf(rows), { query: matchOn ? `match_on=${matchOn}` : '' });
      return outcomesOf(account, job, rows.length);
    },
    async ndjson(account: Client, rows: readonly Row[], matchOn: string | undefined): Promise<string[]> {
      const file = rows.map((one) => JSON.stringify(one)).join('\n');
      const job = await importFile(account, file, { query: matchOn ? `match_on=${matchOn}` : '', type: 'application/x-ndjson' });
      return outcomesOf(account, job, rows.length);
    },
    async batch(account: Client, contacts: readonly Row[], matchOn: string | undefined): Promise<string[]> {
      const { status, data } = await account.post('/v2/contacts/batch', { ...(matchOn && { match_on: matchOn }), contacts });
      assert.equal(status, 200);
      return data.results.map(({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status);
    },
    async upsert(account: Client, rows: readonly Row[], matchOn: string | undefined): Promise<string[]> {
      const outcomes: string[] = [];
      const query = matchOn === 'email' || matchOn === 'external_id' ? `?match_on=${matchOn}` : '';
      for (const one of rows) {
        const { status, error } = await account.put(`/v2/contacts${query}`, one);
        outcomes.push(error?.code ?? (status === 201 ? 'created' : 'updated'));
      }
      return outcomes;
    },
  };

  async function outcomesOf(
    account: Client,
    job: { status: string; rows: Record<string, number>; errors_url: string | null },
    sent: number,
  ) {
    assert.equal(job.status, 'completed');
    const { read, created = 0, updated = 0, unchanged = 0, failed = 0 } = job.rows;
    assert.deepEqual([read, created + updated + unchanged + failed], [sent, sent], 'the counts add up');
    const errors: string[][] = job.errors_url ? parse((await account.get(job.errors_url)).text).slice(1) : [];
    assert.equal(errors.length, failed);
    for (const [, , code, message = ''] of errors)
      if (code === 'CONFLICT') assert.match(message, /contact_\w+/, 'a conflict names the contact');
    return [
      ...Array<string>(created).fill('created'),
      ...Array<string>(updated).fill('updated'),
      ...Array<string>(unchanged).fill('unchanged'),
      ...errors.map(([, , code = '']) => code),
    ];
  }

  await t.test('a row with a new email and the phone of another contact is a conflict and changes neither', async () => {
    for (const way of [ways.csv, ways.ndjson, ways.batch, ways.upsert]) {
      const account = testClient(app);
      const known = await createContact(account, {
        email: 'known@example.com',
        phone: '+4930901820',
        first_name: 'Known',
        consent: { email: { status: 'unsubscribed' } },
      });
      const stranger = { email: 'stranger@example.com', external_id: null, phone: '+4930901820', first_name: 'Stranger' };
      for (const matchOn of way === ways.upsert ? [undefined] : [undefined, 'any', 'phone'])
        assert.deepEqual(await way(account, [stranger], matchOn), ['CONFLICT']);
      assert.deepEqual([await all(account)], [[known]]);
    }
  });

  await t.test('no contact is lost in 500 rows with recurring phones', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 500 }, (_, index) => ({
      email: `n${index}@example.com`,
      external_id: null,
      phone: `+49309018${100 + (index % 421)}`,
      first_name: `N${index}`,
    }));
    const outcomes = await ways.csv(account, rows, undefined);
    assert.deepEqual([outcomes.filter((one) => one === 'created').length, outcomes.filter((one) => one === 'CONFLICT').length], [421, 79]);
    assert.equal((await findContact(account, 'n0@example.com')).first_name, 'N0');
  });

  await t.test('rows without an email are matched on their external_id, and without that on their phone', async () => {
    for (const way of [ways.csv, ways.batch, ways.upsert]) {
      const account = testClient(app);
      const first = await createContact(account, { email: 'a@example.com', external_id: '1', phone: '+4930901820' });
      const rows = [
        { email: null, external_id: '1', phone: '+4930901821', first_name: 'One' },
        { email: null, external_id: null, phone: '+4930901821', first_name: 'Two' },
        { email: null, external_id: '2', phone: null, first_name: 'New' },
      ];
      // A JSON null clears the value; an empty cell leaves it unchanged.
      const said = rows.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)) as Row);
      assert.deepEqual((await way(account, way === ways.csv ? rows : said, undefined)).toSorted(), ['created', 'updated', 'updated']);
      const { first_name, email, phone } = await readContact(account, first.id);
      assert.deepEqual([first_name, email, phone], ['Two', 'a@example.com', '+4930901821']);
    }
  });

  await t.test('a row matched on a weaker identifier neither removes nor replaces a stronger one', async () => {
    const account = testClient(app);
    const known = await createContact(account, { email: 'a@example.com', external_id: '1', phone: '+4930901820' });
    const row = (email: string | null, external_id: string | null) => ({ email, external_id, phone: '+4930901820', first_name: 'X' });
    for (const [matchOn, one] of [
      ['external_id', row('b@example.com', '1')],
      ['external_id', row(null, '1')],
      ['phone', row('b@example.com', null)],
      ['phone', row('a@example.com', '2')],
    ] as const) {
      assert.deepEqual(await ways.batch(account, [one], matchOn), ['CONFLICT']);
      assert.deepEqual(await ways.ndjson(account, [one], matchOn), ['CONFLICT']);
    }
    const refused = await account.put('/v2/contacts?match_on=external_id', { email: 'b@example.com', external_id: '1' });
    assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT']);
    assert.deepEqual(refused.error.details, [
      { path: '/email', code: 'other_identifier', message: refused.error.details[0].message, existing_id: known.id },
    ]);
    assert.match(refused.error.message, /change_identifiers/);
    assert.deepEqual(await all(account), [known]);
  });

  await t.test('with change_identifiers it replaces stronger identifiers', async () => {
    const account = testClient(app);
    const { id } = await createContact(account, { email: 'a@example.com', external_id: '1' });
    const emailNow = async () => (await readContact(account, id)).email;
    const upserted = await account.put('/v2/contacts?match_on=external_id&change_identifiers=true', {
      email: 'b@example.com',
      external_id: '1',
    });
    assert.deepEqual([upserted.status, await emailNow()], [200, 'b@example.com']);
    const contacts = [{ email: 'c@example.com', external_id: '1' }];
    const batch = await account.post('/v2/contacts/batch', { match_on: 'external_id', change_identifiers: true, contacts });
    assert.deepEqual([batch.data.counts.updated, await emailNow()], [1, 'c@example.com']);
    const job = await importFile(account, 'email,external_id\nd@example.com,1\n', {
      query: 'match_on=external_id&change_identifiers=true',
    });
    assert.deepEqual([job.rows.updated, job.change_identifiers, await emailNow()], [1, true, 'd@example.com']);
  });

  await t.test(
    'an export from before an email change is a conflict; it neither reverts the change nor duplicates the contact',
    async () => {
      const account = testClient(app);
      const { id } = await createContact(account, { email: 'old@example.com', external_id: '1', phone: '+4930901820' });
      await account.put(`/v2/contacts/${id}`, { email: 'new@example.com' });
      const old = { email: 'old@example.com', external_id: '1', phone: '+4930901820', first_name: 'Old' };
      assert.deepEqual(await ways.csv(account, [old], undefined), ['CONFLICT']);
      assert.deepEqual([(await readContact(account, id)).email, await countContacts(account)], ['new@example.com', 1]);
    },
  );

  await t.test('no row changes an identifier stronger than the one it matched on, and every row has a result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 5 }),
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('csv' as const, 'ndjson' as const, 'batch' as const, 'upsert' as const),
        fc.constantFrom(undefined, 'email', 'external_id', 'phone', 'any'),
        async (known, rows, way, matchOn) => {
          const account = testClient(app);
          for (const one of known) await account.post('/v2/contacts', one);
          const before = await all(account);
          const outcomes = await ways[way](account, rows, matchOn);
          const named = ['created', 'updated', 'unchanged', 'CONFLICT', 'VALIDATION_ERROR'];
          assert.deepEqual([outcomes.length, outcomes.filter((one) => !named.includes(one))], [rows.length, []]);
          const after = await all(account);
          assert.equal(after.length, before.length + outcomes.filter((one) => one === 'created').length);
          // The identifier a row may be matched on: the strongest it has, or only the requested one.
          const identifier =
            strongestFirst.find((name) => name === matchOn && name !== 'email' && way !== 'upsert') ??
            (matchOn === 'external_id' ? matchOn : undefined);
          const matches = rows.map(identifiersOf).flatMap((one) => {
            const name = identifier ?? strongestFirst.find((each) => one[each] !== null);
            return name && one[name] !== null ? [{ name, value: one[name] }] : [];
          });
          for (const contact of before) {
            const [was, is] = [contact, after.find(({ id }) => id === contact.id)].map((one) => one && identifiersOf(one));
            assert.ok(was && is);
            for (const [index, name] of strongestFirst.entries()) {
              if (is[name] === was[name]) continue;
              // A row of a file that matches on a weaker identifier may add a stronger one that the contact lacks.
              const mayFill = identifier !== undefined && was[name] === null;
              const allowed = mayFill ? strongestFirst : strongestFirst.slice(0, index);
              assert.ok(
                matches.some(
                  (match) => allowed.includes(match.name) && (is[match.name] === match.value || was[match.name] === match.value),
                ),
                `${name} went from ${was[name]} to ${is[name]}`,
              );
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
