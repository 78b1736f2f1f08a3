import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contact, emailKey } from '@mp/contracts/contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';
import { searchedWords, searchWordsOf } from '../src/contacts/search-words.ts';
import { type Life, membersOf, newLife, publishedBy, rebuild, type Step, step, story } from './history.ts';
import { assertChanged, assertMerged } from './nothing-lost.ts';

/** The parts that two accounts with the same history have in common: everything except ids and times. */
const storyOf = ({ id, created_at, updated_at, last_seen_at, consent, ...members }: Contact) =>
  JSON.stringify({ ...members, consent: JSON.stringify(consent).replaceAll(/"at":"[^"]*"/g, '') });

test('a random history of contacts', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });

  const all = async (account: Client): Promise<Contact[]> =>
    (await account.get('/v2/contacts?limit=100')).data.items.sort((a: Contact, b: Contact) => (a.id < b.id ? -1 : 1));

  function assertUnique(contacts: readonly Contact[]) {
    for (const values of [
      contacts.flatMap(({ email }) => (email === null ? [] : emailKey(email))),
      contacts.flatMap(({ phone }) => phone ?? []),
      contacts.flatMap(({ external_id }) => external_id ?? []),
    ])
      assert.equal(new Set(values).size, values.length, 'two contacts share an identifier');
  }

  /** Events in any order determine which contacts exist and which contact each id refers to. */
  async function assertRebuilt({ account, ids }: Life, seed: number) {
    const { contacts, meaningOf } = rebuild(await publishedBy(parts, account, seed));
    assert.deepEqual(contacts, await all(account));
    for (const id of ids) {
      const { status, data } = await account.get(`/v2/contacts/${id}`);
      assert.equal(status === 200 ? data.id : undefined, meaningOf(id));
    }
  }

  /** Whatever wrote a contact, a search finds it by its words as they are now. */
  async function assertFound(account: Client) {
    const contacts = await all(account);
    for (const text of ['p1', 'example.com p', 'ada', 'zoe', 'LOV', 'x', '+49 30 901', '0309018202']) {
      const words = searchedWords(text);
      const matching = contacts.filter((contact) => words.every((word) => searchWordsOf(contact).some((own) => own.startsWith(word))));
      const found: Contact[] = (await account.get(`/v2/contacts?limit=100&q=${encodeURIComponent(text)}`)).data.items;
      assert.deepEqual(
        found.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        matching,
        text,
      );
    }
  }

  await t.test('keeps one contact per identifier with all its data, and its events rebuild it in any order', async () => {
    await fc.assert(
      fc.asyncProperty(story({ minLength: 4, maxLength: 14 }), fc.integer(), async (steps, seed) => {
        const life = newLife(parts, testClient(app));
        const { account } = life;
        let before: Contact[] = [];
        const deleted = new Map<string, Contact>();
        for (const one of steps) {
          const { status, text, touched, said } = await life.take(one);
          assert.ok([200, 201, 202, 400, 404, 409].includes(status), text);
          const now = await all(account);
          if (status >= 400) assert.deepEqual(now, before, 'a rejected request changes nothing');
          assertUnique(now);
          const untouched = (contacts: readonly Contact[]) => contacts.filter(({ id }) => !touched.includes(id));
          assert.deepEqual(untouched(now), untouched(before), 'no other contact changes');
          const [was, other] = touched.map((id) => before.find((contact) => contact.id === id));
          const contact = now.find(({ id }) => id === touched[0]);
          if (status === 200 && one.do === 'merge') {
            assert.ok(was && other && contact);
            assertMerged(contact, was, other);
          }
          if (status === 200 && one.do === 'delete' && was) deleted.set(was.id, was);
          if (status === 200 && one.do === 'restore') {
            const gone = deleted.get(touched[0] ?? '');
            assert.ok(gone && contact);
            assert.deepEqual(contact, { ...gone, revision: gone.revision + 2, updated_at: contact.updated_at });
          }
          if (said) {
            assert.ok(was && contact);
            assertChanged(contact, was, said);
          }
          before = now;
        }
        await assertRebuilt(life, seed);
        await assertFound(account);
      }),
      { numRuns: 25 },
    );
  });

  await t.test('holds with many concurrent steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        story({ minLength: 0, maxLength: 0 }),
        fc.array(fc.array(step, { minLength: 2, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
        fc.integer(),
        async (beginning, rounds, seed) => {
          const life = newLife(parts, testClient(app).patient());
          for (const one of beginning) await life.take(one);
          for (const round of rounds) {
            const outcomes = await Promise.all(round.map(life.take));
            for (const { status, text } of outcomes) assert.ok([200, 201, 202, 400, 404, 409].includes(status), text);
            assertUnique(await all(life.account));
          }
          await assertRebuilt(life, seed);
        },
      ),
      { numRuns: 10 },
    );
  });

  await t.test(
    'affects one account only: the same history in two accounts has the same result, and neither affects the other',
    async () => {
      await fc.assert(
        fc.asyncProperty(story({ minLength: 4, maxLength: 10 }), async (steps) => {
          const sides = [newLife(parts, testClient(app)), newLife(parts, testClient(app))] as const;
          for (const one of steps) for (const side of sides) await side.take(one);
          const before = await Promise.all(sides.map(({ account }) => all(account)));
          for (const [mine, theirs] of [sides, sides.toReversed()] as [Life, Life][]) {
            const [own, foreign] = [mine.idOf(0), theirs.idOf(0)];
            const mergeId = theirs.merges[0]?.mergeId ?? 'merge_none';
            const { account } = mine;
            const attempts = [
              account.get(`/v2/contacts/${foreign}`),
              account.get(`/v2/contacts/${foreign}/timeline`),
              account.get(`/v2/contacts/${foreign}/merges`),
              account.put(`/v2/contacts/${foreign}`, { first_name: 'Mine' }),
              account.put(`/v2/contacts/${foreign}/consent`, { email: { status: 'unsubscribed' } }),
              account.delete(`/v2/contacts/${foreign}`),
              account.post(`/v2/contacts/${foreign}/erase`),
              account.post(`/v2/contacts/${foreign}/restore`),
              account.post(`/v2/contacts/${foreign}/merge`, { source_id: own }),
              account.post(`/v2/contacts/${foreign}/merges/${mergeId}/undo`),
            ];
            for (const { status } of await Promise.all(attempts)) assert.equal(status, 404);
            const { status } = await account.post(`/v2/contacts/${own}/merge`, { source_id: foreign });
            assert.ok([400, 404, 409].includes(status));
            // A search for all contacts, and for values the other account has too, finds only those of this account.
            const ownIds = new Set((await all(account)).map(({ id }) => id));
            const emails = ['p1@example.com', 'P2@example.com', 'p3@example.com'];
            for (const rule of [
              { field: 'created_at', op: 'gte', value: '2020-01-01' },
              { field: 'email', op: 'in', value: emails },
            ]) {
              const { data } = await account.post('/v2/contacts/search', { rule, limit: 100 });
              assert.ok(data.items.every(({ id }: Contact) => ownIds.has(id)));
              if (rule.op === 'gte') assert.equal(data.items.length, ownIds.size);
            }
          }
          assert.deepEqual(await Promise.all(sides.map(({ account }) => all(account))), before, 'the other account is unchanged');
          const [one = [], two = []] = before.map((contacts) => contacts.map(storyOf).sort());
          assert.deepEqual(one, two, 'both accounts have the same contacts');

          // A batch with every identifier of the other account creates separate contacts.
          const [{ account }, [, theirs = []]] = [sides[0], before];
          const rows = theirs.map(({ email, phone, external_id }) => ({ email, phone, external_id, first_name: 'Mine' }));
          if (rows.length > 0) await account.post('/v2/contacts/batch', { match_on: 'any', contacts: rows });
          assert.deepEqual(await all(sides[1].account), theirs, 'a batch changes nothing in the other account');
        }),
        { numRuns: 8 },
      );
    },
  );

  await t.test('a merge that is undone immediately leaves both as they were', async () => {
    await fc.assert(
      fc.asyncProperty(step, step, async (one, two) => {
        const account = testClient(app);
        const body = (it: Step, index: number) => ({ ...('email' in it ? membersOf(it) : {}), email: `u${index}@example.com` });
        const first = (await account.post('/v2/contacts', body(one, 1))).data;
        const second =
          (await account.post('/v2/contacts', body(two, 2))).data ?? (await account.post('/v2/contacts', { email: 'u2@example.com' })).data;
        const { data } = await account.post(`/v2/contacts/${first.id}/merge`, { source_id: second.id });
        const undone = await account.post(`/v2/contacts/${first.id}/merges/${data.merge_id}/undo`);
        assert.equal(undone.status, 200, undone.text);
        const plain = ({ revision, updated_at, ...members }: Contact) => members;
        assert.deepEqual([plain(undone.data.contact), plain(undone.data.source)], [plain(first), plain(second)]);
      }),
      { numRuns: 15 },
    );
  });
});
