import { type Clock, latest } from '@mp/service-kit/clock';
import type { Mongo } from '@mp/service-kit/mongo';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { MembershipChange, RecordChanges } from '../memberships/record-membership-changes.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { Backfill, BackfillsStore } from './backfills-store.ts';

type Parts = {
  mongo: Mongo;
  clock: Clock;
  backfills: BackfillsStore;
  memberships: MembershipsStore;
  profiles: ProfilesStore;
  recordChanges: RecordChanges;
};

/** Removes the members of a deleted segment. */
export function createEmptySegment({ mongo, clock, backfills, memberships, profiles, recordChanges }: Parts) {
  /** Removes up to `size` members in one transaction. Returns how many there were. */
  return async function emptyChunk(backfill: Backfill, size: number): Promise<number> {
    const { accountId, segmentId, segmentName, correlationId } = backfill;
    return mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const now = clock();
      const open = await memberships.someInside(accountId, segmentId, size, tx);
      await profiles.touchAll(
        tx,
        accountId,
        open.map(({ contactId }) => contactId),
        now,
      );
      const changes = open.map<MembershipChange>(({ id, contactId, enteredAt }) => ({
        segmentId,
        segmentName,
        contactId,
        at: latest(now, enteredAt),
        to: 'outside',
        membershipId: id,
      }));
      await recordChanges(tx, accountId, { cause: 'deletion' }, changes);
      await backfills.advance(tx, backfill, null);
      return open.length;
    });
  };
}
