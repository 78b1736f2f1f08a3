import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { type Clock, latest } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import { isKnown, type Profile } from '../profiles/profile.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { Evaluate } from './evaluate.ts';
import type { MembershipsStore, OpenMembership } from './memberships-store.ts';
import type { MembershipChange, RecordChanges } from './record-membership-changes.ts';

export type MergeMembers = ReturnType<typeof createMergeMembers>;

type Parts = { memberships: MembershipsStore; evaluate: Evaluate; recordChanges: RecordChanges; clock: Clock };

type Merge = { accountId: AccountId; index: DefinitionIndex; sourceId: ContactId; survivor: Profile };

/**
 * What a merge changes for the surviving contact. It enters the static segments of the merged one, and its rules count the
 * activities of both. When the merge is undone, each has its own again; a contact that has been removed from a static segment since
 * stays removed, from both. The caller has touched both profiles.
 */
export function createMergeMembers({ memberships, evaluate, recordChanges, clock }: Parts) {
  async function change(tx: Transaction, { accountId, index, survivor }: Merge, changes: readonly MembershipChange[]) {
    await recordChanges(tx, accountId, { cause: 'merge' }, changes);
    if (!isKnown(survivor)) return;
    const changed = changes.flatMap(({ segmentId }) => index.dependents(segmentId));
    const segmentIds = new Set([...index.withActivities(), ...changed]);
    await evaluate(tx, { accountId, index, touched: [{ profile: survivor, segmentIds }], cause: 'merge', now: clock() });
  }

  const openOf = async (tx: Transaction, accountId: AccountId, contactId: ContactId) =>
    new Map((await memberships.openOf(accountId, [contactId], tx)).map((one): [SegmentId, OpenMembership] => [one.segmentId, one]));

  const entering = (
    index: DefinitionIndex,
    segmentId: SegmentId,
    { id, touchedAt }: Profile,
    mergedFrom?: ContactId,
  ): MembershipChange => ({
    ...{ segmentId, segmentName: index.nameOf(segmentId) ?? '', contactId: id, at: latest(clock(), touchedAt) },
    ...{ to: 'inside', version: index.versionOf(segmentId) },
    ...(mergedFrom !== undefined && { mergedFrom }),
  });

  return {
    /** After the source has left its segments; `left` are the static ones. */
    async merged(tx: Transaction, merge: Merge, left: readonly SegmentId[]) {
      const { accountId, index, sourceId, survivor } = merge;
      if (survivor.deleted) return;
      const open = await openOf(tx, accountId, survivor.id);
      const missing = left.filter((segmentId) => !open.has(segmentId));
      await change(
        tx,
        merge,
        missing.map((segmentId) => entering(index, segmentId, survivor, sourceId)),
      );
    },

    /** After a deleted contact has returned: it is in its static segments again. */
    async restored(tx: Transaction, { accountId, index, contact }: { accountId: AccountId; index: DefinitionIndex; contact: Profile }) {
      const statics = new Set(index.statics());
      const entered = contact.staticSegments.filter((id) => statics.has(id)).map((id) => entering(index, id, contact));
      await recordChanges(tx, accountId, { cause: 'contact' }, entered);
    },

    /** After the source has returned, which had left these static segments. */
    async undone(tx: Transaction, merge: Merge, source: Profile, left: readonly SegmentId[]) {
      const { accountId, index, sourceId, survivor } = merge;
      const open = await openOf(tx, accountId, survivor.id);
      const statics = new Set(index.statics());
      const shared = left.filter((id) => statics.has(id)).flatMap((segmentId) => open.get(segmentId) ?? []);
      const leaving = shared
        .filter(({ mergedFrom }) => mergedFrom === sourceId)
        .map(({ id, segmentId, enteredAt }): MembershipChange => {
          const at = latest(clock(), survivor.touchedAt, enteredAt);
          return { segmentId, segmentName: index.nameOf(segmentId) ?? '', contactId: survivor.id, at, to: 'outside', membershipId: id };
        });
      await change(tx, merge, [...shared.map(({ segmentId }) => entering(index, segmentId, source)), ...leaving]);
    },
  };
}
