import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contact, emailKey } from '@mp/contracts/contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';

type Step =
  | { do: 'create' | 'update' | 'upsert'; who: number; email: number; phone: number; external: number; tag: number }
  | { do: 'merge' | 'delete' | 'undo'; who: number; other: number };

const few = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('create', 'update', 'upsert'), who: few, email: few, phone: few, external: few, tag: few }),
  fc.record({ do: fc.constantFrom('merge', 'delete', 'undo'), who: few, other: few }),
) as fc.Arbitrary<Step>;

/** Few identities, so that contacts get in each other's way. */
const membersOf = ({ email, phone, external, tag }: Extract<Step, { email: number }>) => ({
  ...(email > 0 && { email: `${email === 2 ? 'P' : 'p'}${email}@example.com` }),
  ...(phone > 1 && { phone: `+493090182${phone}` }),
  ...(external > 0 && { external_id: `x${external}` }),
  ...(tag === 2 && { consent: { topics: { constructor: { email: { status: 'subscribed' } } } } }),
  ...(tag > 0 && { tags: [`t${tag}`], attributes: { [tag === 3 ? 'constructor' : `k${tag}`]: tag } }),
});

/** What every projection of contacts does: the newest revision wins, a deletion is one, and order means nothing. */
function rebuild(events: readonly { subject: string; data: { contact?: Contact; contact_id?: string; revision?: number } }[]) {
  const known = new Map<string, { revision: number; contact: Contact | null }>();
  for (const { subject, data } of events) {
    const isDeletion = subject === 'contacts.contact.deleted.v1';
    if (!isDeletion && !/contact\.(created|updated)\.v1$/.test(subject)) continue;
    const id = data.contact?.id ?? data.contact_id ?? '';
    const revision = data.contact?.revision ?? data.revision ?? 0;
    if ((known.get(id)?.revision ?? 0) < revision) known.set(id, { revision, contact: data.contact ?? null });
  }
  return [...known.values()].flatMap(({ contact }) => contact ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const withoutIdAndTime = ({ id, created_at, updated_at, consent, ...members }: Contact) => ({
  ...members,
  consent: { email: consent.email?.status, sms: consent.sms?.status },
});

test('any history of contacts', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);

  const all = async (account: Client): Promise<Contact[]> =>
    (await account.get('/v2/contacts?limit=100')).data.items.sort((a: Contact, b: Contact) => (a.id < b.id ? -1 : 1));

  await t.test('keeps one contact per identity, and its events rebuild it in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), fc.integer(), async (steps, seed) => {
        const account = testClient(app);
        const ids: string[] = [];
        const merges: { id: string; mergeId: string; before: Contact[] }[] = [];
        const idOf = (index: number) => ids[index % Math.max(1, ids.length)] ?? 'contact_none';
        for (const one of steps) {
          if (one.do === 'create' || one.do === 'upsert') {
            const answer =
              one.do === 'create' ? await account.post('/v2/contacts', membersOf(one)) : await account.put('/v2/contacts', membersOf(one));
            assert.ok([200, 201, 400, 409].includes(answer.status), answer.text);
            if (answer.status === 201) ids.push(answer.data.id);
          } else if (one.do === 'update') {
            const answer = await account.put(`/v2/contacts/${idOf(one.who)}`, membersOf(one));
            assert.ok([200, 404, 409].includes(answer.status), answer.text);
          } else if (one.do === 'delete') {
            const answer = await account.delete(`/v2/contacts/${idOf(one.who)}`);
            assert.ok([200, 404, 409].includes(answer.status), answer.text);
          } else if (one.do === 'merge') {
            const before = await all(account);
            const [id, source] = [idOf(one.who), idOf(one.other)];
            const answer = await account.post(`/v2/contacts/${id}/merge`, { source_id: source });
            assert.ok([200, 400, 404, 409].includes(answer.status), answer.text);
            if (answer.status !== 200) continue;
            merges.push({ id, mergeId: answer.data.merge_id, before });
            // Nothing that either had is lost.
            const [was, other] = [before.find((contact) => contact.id === id), before.find((contact) => contact.id === source)];
            const { contact } = answer.data;
            for (const tag of [...(was?.tags ?? []), ...(other?.tags ?? [])]) assert.ok(contact.tags.includes(tag));
            assert.deepEqual(contact.attributes, { ...other?.attributes, ...was?.attributes });
            for (const name of ['email', 'phone', 'external_id'] as const)
              assert.equal(contact[name], was?.[name] ?? other?.[name] ?? null);
          } else {
            const last = merges.pop();
            if (!last) continue;
            const before = await all(account);
            const answer = await account.post(`/v2/contacts/${last.id}/merges/${last.mergeId}/undo`);
            assert.ok([200, 404, 409].includes(answer.status), answer.text);
            if (answer.status !== 200) assert.deepEqual(await all(account), before, 'what is refused changes nothing');
          }
          const now = await all(account);
          for (const values of [
            now.flatMap(({ email }) => (email === null ? [] : emailKey(email))),
            now.flatMap(({ phone }) => phone ?? []),
            now.flatMap(({ external_id }) => external_id ?? []),
          ])
            assert.equal(new Set(values).size, values.length, 'two contacts with one identity');
        }
        const rows = await parts.mongo.db.collection('outbox').find({ 'envelope.account_id': account.accountId }).toArray();
        const events = rows.map(({ subject, envelope }) => ({ subject, data: envelope.data }));
        const shuffled = events
          .map((event, index) => ({ event, key: Math.sin(seed + index) }))
          .sort((a, b) => a.key - b.key)
          .map(({ event }) => event);
        assert.deepEqual(rebuild(shuffled), await all(account));
      }),
      { numRuns: 25 },
    );
  });

  await t.test('is one account’s alone: the same story in two accounts is the same twice, and neither reaches into the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const sides = [newSide(), newSide()] as const;
        for (const one of steps) for (const side of sides) await side.take(one);
        const before = await Promise.all(sides.map(({ account }) => all(account)));
        for (const [mine, theirs] of [sides, sides.toReversed()] as [Side, Side][]) {
          const [own, foreign, mergeId] = [
            mine.ids[0] ?? 'contact_none',
            theirs.ids[0] ?? 'contact_none',
            theirs.merges[0]?.mergeId ?? 'merge_none',
          ];
          const { account } = mine;
          const attempts = [
            account.get(`/v2/contacts/${foreign}`),
            account.get(`/v2/contacts/${foreign}/timeline`),
            account.get(`/v2/contacts/${foreign}/merges`),
            account.put(`/v2/contacts/${foreign}`, { first_name: 'Mine' }),
            account.put(`/v2/contacts/${foreign}/consent`, { email: { status: 'unsubscribed' } }),
            account.delete(`/v2/contacts/${foreign}`),
            account.post(`/v2/contacts/${foreign}/erase`),
            account.post(`/v2/contacts/${foreign}/merge`, { source_id: own }),
            account.post(`/v2/contacts/${foreign}/merges/${mergeId}/undo`),
          ];
          for (const { status } of await Promise.all(attempts)) assert.equal(status, 404);
          const { status } = await account.post(`/v2/contacts/${own}/merge`, { source_id: foreign });
          assert.ok([400, 404, 409].includes(status));
        }
        assert.deepEqual(await Promise.all(sides.map(({ account }) => all(account))), before, 'nothing was reached');
        const [one = [], two = []] = before.map((contacts) => contacts.map(withoutIdAndTime));
        assert.deepEqual(one, two, 'neither knows what the other has');
      }),
      { numRuns: 8 },
    );
  });

  type Side = ReturnType<typeof newSide>;

  /** An account that lives through a story, whatever is answered. */
  function newSide() {
    const account = testClient(app);
    const ids: string[] = [];
    const merges: { id: string; mergeId: string }[] = [];
    const idOf = (index: number) => ids[index % Math.max(1, ids.length)] ?? 'contact_none';
    async function take(one: Step) {
      if (one.do === 'create' || one.do === 'upsert') {
        const send = one.do === 'create' ? account.post : account.put;
        const { status, data } = await send('/v2/contacts', membersOf(one));
        if (status === 201) ids.push(data.id);
      } else if (one.do === 'update') await account.put(`/v2/contacts/${idOf(one.who)}`, membersOf(one));
      else if (one.do === 'delete') await account.delete(`/v2/contacts/${idOf(one.who)}`);
      else if (one.do === 'merge') {
        const { status, data } = await account.post(`/v2/contacts/${idOf(one.who)}/merge`, { source_id: idOf(one.other) });
        if (status === 200) merges.push({ id: idOf(one.who), mergeId: data.merge_id });
      } else {
        const last = merges.pop();
        if (last) await account.post(`/v2/contacts/${last.id}/merges/${last.mergeId}/undo`);
      }
    }
    return { account, ids, merges, take };
  }

  await t.test('a merge undone at once leaves both as they were', async () => {
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
