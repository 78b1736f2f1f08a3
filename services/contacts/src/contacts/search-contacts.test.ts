import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import type { ContactId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { buildApp } from '../app.ts';
import { createContactsStore } from './contacts-store.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' } as const;

test('POST /v2/contacts/search', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const path = '/v2/contacts/search';
  await guaranteeRoute(t, app, { method: 'POST', scope: 'contacts:read', url: () => path, body: { rule: berlin } });

  const account = testClient(app);
  const contacts = Array.from({ length: 700 }, (_, index) => ({
    email: `s${index}@example.com`,
    address: { city: index % 70 === 0 ? 'BERLIN' : 'Bonn' },
    tags: index % 7 === 0 ? ['VIP', `t${index % 3}`] : ['plain'],
    attributes: { seats: index % 10, plan: index % 2 ? 'Pro' : 'free', langs: ['de', index % 5 ? 'en' : 'fr'], note: 'ab cd' },
    ...(index % 9 === 0 && { consent: { email: { status: 'unsubscribed' as const } } }),
  }));
  assert.equal((await account.post('/v2/contacts/batch', { contacts })).data.counts.created, 700);
  const { db } = parts.mongo;
  const all: Contact[] = [];
  for (let cursor = ''; ; ) {
    const { data } = await account.get(`/v2/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
    all.push(...data.items);
    if (!data.pagination.has_more) break;
    cursor = data.pagination.next_cursor;
  }
  const walk = async (rule: Rule, limit = 100) => {
    const found: Contact[] = [];
    let scanned = 0;
    for (let cursor: string | undefined; ; ) {
      const { status, data, text } = await account.post(path, { rule, limit, ...(cursor && { cursor }) });
      assert.equal(status, 200, text);
      found.push(...data.items);
      scanned += data.scanned;
      if (!data.pagination.has_more) return { ids: found.map(({ id }) => id), scanned };
      cursor = data.pagination.next_cursor;
    }
  };
  const expected = (rule: Rule) => {
    const { matches } = compileRule(rule);
    const now = new Date();
    return all.filter((contact) => matches({ contact, activities: () => [], segments: new Set() }, now).matches).map(({ id }) => id);
  };

  await t.test('finds by any field, newest first, page by page', async () => {
    assert.equal((await walk(berlin, 3)).ids.length, 10);
    assert.deepEqual((await walk(berlin, 3)).ids, expected(berlin));
  });

  await t.test('examines only what an index finds, where one can be used', async () => {
    const indexed: [Rule, number][] = [
      [{ field: 'email', op: 'in', value: ['S3@example.com', 's4@example.com', 'x@example.com'] }, 2],
      [{ all: [berlin, { field: 'tags', op: 'contains', value: 'vip' }] }, 100],
      [{ all: [{ all: [berlin, { field: 'attributes.seats', op: 'eq', value: 0 }] }] }, 70],
      [{ all: [{ field: 'status', op: 'eq', value: 'unsubscribed' }, { not: berlin }] }, 78],
      [
        {
          all: [
            { field: 'tags', op: 'contains', value: 't1' },
            { field: 'attributes.plan', op: 'eq', value: 'PRO' },
          ],
        },
        350,
      ],
      [{ date: 'created_at', op: 'before', value: '2020-01-01' }, 0],
    ];
    for (const [rule, most] of indexed) {
      const { ids, scanned } = await walk(rule);
      assert.deepEqual(ids, expected(rule), JSON.stringify(rule));
      assert.ok(scanned <= most, `${scanned} of ${most} for ${JSON.stringify(rule)}`);
    }
    await db.command({ profile: 2 });
    await walk({ all: [berlin, { field: 'tags', op: 'in', value: ['vip', 't1'] }] });
    await db.command({ profile: 0 });
    const [run] = await db
      .collection('system.profile')
      .find({ ns: `${db.databaseName}.contacts`, op: 'query' })
      .toArray();
    assert.match(String(run?.planSummary), /tag_keys/);
  });

  await t.test('returns what the rule matches, whatever the plan', async () => {
    const text = fc.constantFrom(
      'vip',
      'T1',
      'plain',
      'pro',
      'Free',
      'de',
      'fr',
      's3@example.com',
      'unsubscribed',
      'active',
      'ab',
      'ab cd',
    );
    const leaf = fc.oneof(
      fc.record({
        field: fc.constantFrom('tags', 'attributes.note', 'attributes.langs'),
        op: fc.constantFrom('contains', 'not_contains'),
        value: text,
      }),
      fc.record({
        field: fc.constantFrom('email', 'status', 'attributes.plan', 'attributes.note'),
        op: fc.constantFrom('eq', 'ne'),
        value: text,
      }),
      fc.record({
        field: fc.constantFrom('tags', 'attributes.langs', 'status'),
        op: fc.constantFrom('in', 'not_in'),
        value: fc.array(text, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ field: fc.constant('attributes.seats'), op: fc.constantFrom('eq', 'gt', 'lte'), value: fc.nat(9) }),
      fc.record({ field: fc.constantFrom('attributes.seats', 'attributes.none', 'phone'), op: fc.constantFrom('exists', 'missing') }),
      fc.record({ date: fc.constant('created_at'), op: fc.constantFrom('in_last', 'not_in_last'), value: fc.constant('P1D') }),
      fc.record({ field: fc.constant('created_at'), op: fc.constantFrom('gt', 'lt', 'eq'), value: fc.constant(all[0]?.created_at ?? '') }),
    );
    const { rule } = fc.letrec<{ rule: Rule }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf as fc.Arbitrary<Rule>,
        fc.record({ all: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ any: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ not: tie('rule') }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(rule, async (one) => {
        assert.deepEqual((await walk(one)).ids, expected(one));
      }),
      { numRuns: 30 },
    );
  });

  await t.test('an index finds values that are equal but written differently', async () => {
    const other = testClient(app);
    const find = async (rule: object) => (await other.post(path, { rule })).data.items.map(({ email }: Contact) => email);
    const attributes = { since: '2026-05-01T10:00:00+02:00', street: 'Straße', city: 'ΟΔΟΣ' };
    await other.post('/v2/contacts', { email: 'one@example.com', tags: ['Spaß'], attributes });
    const conditions = [
      { field: 'attributes.since', op: 'eq', value: '2026-05-01T08:00:00Z' },
      { field: 'attributes.since', op: 'in', value: ['2026-05-01'] },
      { field: 'attributes.street', op: 'eq', value: 'STRASSE' },
      { field: 'attributes.city', op: 'eq', value: 'οδος' },
      { field: 'tags', op: 'contains', value: 'SPASS' },
    ];
    for (const rule of conditions) assert.deepEqual(await find(rule), ['one@example.com'], JSON.stringify(rule));

    // The way earlier versions indexed text.
    const rows = db.collection('contacts');
    const old = { attribute_pairs: ['street', 'street=straße', 'since', 'city', 'city=οδος'], tag_keys: ['spaß'] };
    await rows.updateOne({ account_id: other.accountId }, { $set: old });
    const contactsStore = createContactsStore(db, parts.cursors);
    for (let after: ContactId | null = null; ; ) {
      after = await contactsStore.indexTextAgain(after, 500);
      if (after === null) break;
    }
    for (const rule of conditions) assert.deepEqual(await find(rule), ['one@example.com'], JSON.stringify(rule));
  });

  await t.test('converts a value to the type of its attribute, or rejects it if it could never match', async () => {
    const seats = (value: unknown) => ({ field: 'attributes.seats', op: 'eq', value });
    assert.deepEqual((await walk(seats('3') as Rule)).ids, expected(seats(3) as Rule));
    const refused = await account.post(path, { rule: { not: seats('three') } });
    assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/rule/not/value']);
    assert.match(refused.error.message, /attributes\.seats is a number/);
  });

  await t.test('rejects conditions that only segments support, with their path in the rule, and cursors of another rule', async () => {
    const rule = { all: [berlin, { not: { event: 'order_placed', in_last: 'P30D' } }] };
    const response = await account.post(path, { rule });
    assert.deepEqual([response.status, response.error.details[0].path], [400, '/rule/all/1/not']);
    const { data } = await account.post(path, { rule: berlin, limit: 1 });
    const foreign = await account.post(path, { rule: { not: berlin }, cursor: data.pagination.next_cursor });
    assert.deepEqual([foreign.status, foreign.error.details[0].code], [400, 'invalid_cursor']);
    assert.equal((await account.post(path, { rule: { field: 'nope', op: 'eq', value: 1 } })).error.details[0].path, '/rule/field');
  });
});
