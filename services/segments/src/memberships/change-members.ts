import { ApiError } from '@mp/contracts/errors';
import type { AccountId, ContactId } from '@mp/ids';
import { type Clock, latest } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { createDefinitionCache } from '../segments/definition-cache.ts';
import type { StoredSegment } from '../segments/segment.ts';
import type { Evaluate } from './evaluate.ts';
import type { MembershipsStore, Reason } from './memberships-store.ts';
import type { MembershipChange, RecordChanges } from './record-membership-changes.ts';

export type ChangeMembers = ReturnType<typeof createChangeMembers>;

type Parts = {
  profiles: ProfilesStore;
  memberships: MembershipsStore;
  definitionsOf: ReturnType<typeof createDefinitionCache>;
  evaluate: Evaluate;
  recordChanges: RecordChanges;
  clock: Clock;
};

type Change = { to: MembershipChange['to']; contactIds: readonly ContactId[]; reason: Reason };

/** `known` are the contacts that exist, `changed` those that were not in this state before. */
export type Changed = { known: ReadonlySet<ContactId>; changed: ReadonlySet<ContactId> };

/** Adds contacts to a static segment or removes them, with the segments whose rules use it, in the caller's transaction. */
export function createChangeMembers({ profiles, memberships, definitionsOf, evaluate, recordChanges, clock }: Parts) {
  return async function changeMembers(
    tx: Transaction,
    accountId: AccountId,
    segment: StoredSegment,
    { to, contactIds, reason }: Change,
  ): Promise<Changed> {
    const now = clock();
    const touched = (await profiles.touchEach(tx, accountId, contactIds, now)).filter(isKnown);
    const open = await memberships.openIn(
      accountId,
      segment.id,
      touched.map(({ id }) => id),
      tx,
    );
    const changes = touched.flatMap<MembershipChange>(({ id: contactId, touchedAt }) => {
      const own = open.get(contactId);
      if ((own !== undefined) === (to === 'inside')) return [];
      const place = { segmentId: segment.id, segmentName: segment.name, contactId };
      if (own) return [{ ...place, at: latest(now, touchedAt, own.enteredAt), to: 'outside', membershipId: own.id }];
      return [{ ...place, at: latest(now, touchedAt), to: 'inside', version: segment.version }];
    });
    await recordChanges(tx, accountId, reason, changes);
    const changed = new Set(changes.map(({ contactId }) => contactId));
    const index = await definitionsOf(tx, accountId);
    const segmentIds = new Set(index.dependents(segment.id));
    const affected = touched.flatMap((profile) => (changed.has(profile.id) ? [{ profile, segmentIds }] : []));
    await evaluate(tx, { accountId, index, touched: affected, cause: reason.cause, now });
    return { known: new Set(touched.map(({ id }) => id)), changed };
  };
}

/** Throws INVALID_STATE unless callers can change the members of the segment now. */
export function requireStatic({ id, kind, status, archived_at }: StoredSegment) {
  if (kind !== 'static') {
    throw new ApiError(
      'INVALID_STATE',
      `${id} is a dynamic segment, whose members follow from its definition. Contacts can be added to and removed from static segments.`,
    );
  }
  if (archived_at !== null) throw new ApiError('INVALID_STATE', `${id} is archived; restore it first.`);
  if (status !== 'ready') throw new ApiError('INVALID_STATE', `${id} is still copying its members; retry when its status is ready.`);
}
