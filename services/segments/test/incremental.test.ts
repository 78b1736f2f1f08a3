import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { createMetrics } from '@mp/service-kit/metrics';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';
import type { Segments } from '../src/build-segments.ts';
import { backfillAll } from './contacts.ts';
import { begin, createHistory } from './history.ts';
import { beginning, type Step, step } from './history-steps.ts';

const maxMoments = 60;

type Defined = { id: string; definition: Rule | null; status: string; version: number; count: number };

test('memberships after a random history equal those of a full recomputation', async (t) => {
  let now = begin;
  const clock = () => now;
  const parts = await testParts(t, 'segments');
  const build = () => testService(t, parts, (own) => buildApp({ ...own, metrics: createMetrics('segments') }, { clock, chunkSize: 2 }));
  const [one, two] = [await build(), await build()];

  const segmentsOf = async (client: Client): Promise<Defined[]> => (await client.get('/v2/segments?limit=100')).data.items;
  async function membersOf(client: Client, id: string, asOf?: Date): Promise<string[]> {
    const { data } = await client.get(`/v2/segments/${id}/contacts?limit=100${asOf ? `&as_of=${asOf.toISOString()}` : ''}`);
    return data.items.map((item: { id: string }) => item.id);
  }

  async function settle({ runner, timer, counts }: Segments) {
    await backfillAll({ runner });
    while ((await timer.settleDue()) > 0);
    await counts.flush();
  }

  /** The members according to the events; also checks that each contact's changes are numbered without a gap. */
  async function replayed(accountId: AccountId): Promise<Map<string, Set<string>>> {
    const rows = await writtenEvents(parts.mongo.db, { accountId });
    const perContact = Map.groupBy(rows, (row) => row.envelope.data.contact_id);
    const inside = new Map<string, Set<string>>();
    for (const own of perContact.values()) {
      const ordered = own.toSorted((a, b) => a.envelope.data.sequence - b.envelope.data.sequence);
      assert.deepEqual(
        ordered.map((row) => row.envelope.data.sequence),
        ordered.map((_, index) => index + 1),
      );
      for (const { envelope } of ordered) {
        const { segment_id, contact_id } = envelope.data;
        const members = inside.get(segment_id) ?? new Set();
        inside.set(segment_id, members);
        const enters = envelope.type.endsWith('entered');
        assert.equal(members.has(contact_id), !enters, 'only a non-member enters and only a member leaves');
        if (enters) members.add(contact_id);
        else members.delete(contact_id);
      }
    }
    return inside;
  }

  async function run(batches: readonly (readonly Step[])[]) {
    const client = testClient(one.app);
    const other = testClient(two.app, { account_id: client.accountId });
    const replicas = [
      { client, built: one.built },
      { client: other, built: two.built },
    ];
    const history = createHistory(parts, replicas, (moment) => {
      now = moment;
    });
    const seen: { at: Date; id: string; members: string[] }[] = [];

    for (const batch of [...beginning.map((each) => [each]), ...batches]) {
      await Promise.all(batch.map((each) => history.happen(each)));
      for (const segment of await segmentsOf(other)) {
        if (segment.status === 'building') continue;
        seen.push({ at: history.now(), id: segment.id, members: await membersOf(client, segment.id) });
      }
      history.tick();
    }
    await settle(one.built);
    await settle(two.built);

    const segments = await segmentsOf(client);
    const expected = history.recomputed(segments);
    const events = await replayed(history.accountId);
    for (const segment of segments) {
      const members = await membersOf(other, segment.id);
      assert.deepEqual(members, expected.get(segment.id), `members of ${JSON.stringify(segment.definition)}`);
      assert.deepEqual([...(events.get(segment.id) ?? [])].sort(), members, 'the events agree');
      assert.equal(segment.status, 'ready');
      assert.equal(segment.count, members.length, 'the count equals the number of members');
      for (const { id } of history.contacts()) {
        const { data } = await client.get(`/v2/segments/${segment.id}/contacts/${id}`);
        assert.deepEqual([data.member, data.explanation.matches], [members.includes(id), members.includes(id)], 'explain agrees');
        const due = (await one.built.due.of(history.accountId, id)).find(({ segmentId }) => segmentId === segment.id);
        if (segment.definition && compileRule(segment.definition).dependencies.time) {
          assert.equal(due?.dueAt.toISOString() ?? null, data.flips_at, 'due exactly when the passage of time changes the result');
        }
      }
    }
    for (const [id, members] of events) {
      if (!segments.some((segment) => segment.id === id)) assert.deepEqual([...members], [], 'a deleted segment has no members');
    }
    const gone = await deletedSince(history.contacts().map(({ id }) => id));
    const living = seen.filter(({ id }) => segments.some((segment) => segment.id === id));
    // A sample of times from the whole history, because there are hundreds.
    const every = Math.ceil(living.length / maxMoments);
    for (const { at, id, members } of living.filter((_, index) => index % every === 0)) {
      const then = members.filter((member) => !gone.has(member) || history.contacts().some((contact) => contact.id === member));
      assert.deepEqual(await membersOf(client, id, at), then, `as of ${at.toISOString()}`);
    }

    async function deletedSince(living: readonly string[]): Promise<Set<string>> {
      const all = new Set(seen.flatMap(({ members }) => members));
      for (const id of living) all.delete(id);
      return all;
    }
  }

  await t.test('step by step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), (steps) => run(steps.map((each) => [each]))),
      { numRuns: 8 },
    );
  });

  await t.test('concurrently on two replicas', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 3, maxLength: 8 }), run), {
      numRuns: 8,
    });
  });
});
