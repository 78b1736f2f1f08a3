import type { Lane } from '@mp/contracts/lanes';
import type { ContactId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Mongo } from '@mp/service-kit/mongo';
import type { ChangeMembers } from '../memberships/change-members.ts';
import type { Evaluate } from '../memberships/evaluate.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { createDefinitionCache } from '../segments/definition-cache.ts';
import type { SegmentCounts } from '../segments/segment-counts.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { VersionsStore } from '../segments/versions-store.ts';
import { type Backfill, type BackfillsStore, LostBackfill } from './backfills-store.ts';

type Parts = {
  mongo: Mongo;
  clock: Clock;
  backfills: BackfillsStore;
  segments: SegmentsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  counts: SegmentCounts;
  versions: VersionsStore;
  definitionsOf: ReturnType<typeof createDefinitionCache>;
  evaluate: Evaluate;
  changeMembers: ChangeMembers;
};

/**
 * Evaluates every contact for a new version of a segment.
 *
 * No contact is missed: a chunk touches the profile of every contact it evaluates, so a change that started before the new
 * version existed cannot commit after the chunk; it restarts and sees the new version. Contacts created later are evaluated
 * by their own event.
 */
/** The first chunk is as quick as a single change. */
const laneOf = (after: ContactId | null): Lane => (after === null ? 'live' : 'bulk');

export function createFillSegment(parts: Parts) {
  const { mongo, clock, backfills, segments, memberships, profiles, counts, versions, definitionsOf, evaluate, changeMembers } = parts;

  /** Evaluates the next `size` contacts in one transaction. Returns the last of them; null if there are no more. */
  async function fillChunk(backfill: Backfill, after: ContactId | null, size: number): Promise<ContactId | null> {
    const { accountId, segmentId, correlationId, startsWorkflows } = backfill;
    return mongo.transaction({ correlationId, causationId: null, lane: laneOf(after), startsWorkflows }, async (tx) => {
      const index = await definitionsOf(tx, accountId);
      if (index.get(segmentId)?.version !== backfill.version) throw new LostBackfill();
      const now = clock();
      const touched = await profiles.touchNext(tx, accountId, { after, limit: size, now });
      const last = touched.length < size ? null : (touched.at(-1)?.id ?? null);
      const segmentIds = new Set([segmentId]);
      const known = touched.filter(isKnown).map((profile) => ({ profile, segmentIds }));
      await evaluate(tx, { accountId, index, touched: known, cause: 'definition', now });
      await backfills.advance(tx, backfill, touched.at(-1)?.id ?? after);
      return last;
    });
  }

  /** Adds the next `size` members of the source to a static segment. Returns the last of them; null if there are no more. */
  async function copyChunk(backfill: Backfill, after: ContactId | null, size: number): Promise<ContactId | null> {
    const { accountId, segmentId, source, correlationId } = backfill;
    if (!source) throw new LostBackfill();
    return mongo.transaction({ correlationId, causationId: null, lane: laneOf(after) }, async (tx) => {
      const segment = await segments.findOne(accountId, segmentId, tx);
      if (segment?.version !== backfill.version) throw new LostBackfill();
      // The past does not change, so it is read outside the transaction's snapshot.
      const rows = await memberships.page(accountId, source.segment_id, { when: source.as_of, after, limit: size });
      const contactIds = rows.map(({ contactId }) => contactId);
      await changeMembers(tx, accountId, segment, { to: 'inside', contactIds, reason: { cause: 'copy', by: source.by } });
      await backfills.advance(tx, backfill, contactIds.at(-1) ?? after);
      return rows.length < size ? null : (contactIds.at(-1) ?? null);
    });
  }

  /** Makes the new version visible once the count includes all its members. */
  async function finish(backfill: Backfill) {
    const { accountId, segmentId, version, correlationId } = backfill;
    await counts.flush();
    await mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const segment = await segments.findOne(accountId, segmentId, tx);
      if (segment?.version !== version) throw new LostBackfill();
      await segments.markReady(tx, accountId, segment, clock());
      await counts.evaluated(tx, accountId, segmentId, clock());
      // As of the moment before the build, which is what readers have seen until now.
      const { building_from, builds } = segment;
      const before = building_from && builds.length > 0 ? await memberships.count(accountId, segmentId, building_from, tx) : 0;
      const after = await memberships.count(accountId, segmentId, 'now', tx);
      await versions.built(tx, accountId, segment, { at: clock(), before, after });
      await backfills.finish(tx, backfill);
    });
  }

  return { fillChunk, copyChunk, finish };
}
