import type { Contact } from '@mp/contracts/contact';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Clock } from '../clock.ts';
import { latest } from '../clock.ts';
import type { DueStore } from '../memberships/due-store.ts';
import type { Evaluate } from '../memberships/evaluate.ts';
import type { MembershipChange, RecordChanges } from '../memberships/membership-changes.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { createDefinitions } from '../segments/definitions.ts';
import { changedFields, isKnown, type Profile } from './profile.ts';
import type { ProfilesStore } from './profiles-store.ts';

export type ApplyContact = ReturnType<typeof createApplyContact>;

type Parts = {
  profiles: ProfilesStore;
  memberships: MembershipsStore;
  due: DueStore;
  definitionsOf: ReturnType<typeof createDefinitions>;
  evaluate: Evaluate;
  recordChanges: RecordChanges;
  clock: Clock;
};

/** Updates a contact's profile to a newer revision, and its memberships accordingly. */
export function createApplyContact({ profiles, memberships, due, definitionsOf, evaluate, recordChanges, clock }: Parts) {
  /** The contact leaves every segment. A tombstone stays, so that events in transit change nothing. */
  async function tombstone(tx: Transaction, accountId: string, before: Profile, revision: number, erase: boolean) {
    const { id: contactId } = before;
    await profiles.tombstone(tx, accountId, contactId, revision, erase);
    await due.removeContact(tx, accountId, contactId);
    const index = await definitionsOf(tx, accountId);
    const changes = (await memberships.openOf(accountId, [contactId], tx)).flatMap<MembershipChange>(({ id, segmentId, enteredAt }) => {
      const segmentName = index.nameOf(segmentId);
      // The segment is being deleted, and that deletion publishes the leave event.
      if (segmentName === undefined) return [];
      const at = latest(clock(), before.touchedAt, enteredAt);
      return [{ segmentId, segmentName, contactId, at, to: 'outside', membershipId: id }];
    });
    await recordChanges(tx, accountId, { cause: 'deletion' }, changes);
  }

  return {
    /** Does nothing if this revision or a newer one is known. */
    async apply(tx: Transaction, accountId: string, contact: Contact) {
      const now = clock();
      const before = await profiles.save(tx, accountId, contact, now);
      if (!before) return;
      const index = await definitionsOf(tx, accountId);
      await evaluate(tx, {
        accountId,
        index,
        profiles: [{ ...before, contact, deleted: false }],
        segmentIds: isKnown(before) ? index.touchedByFields(changedFields(before.contact, contact)) : index.all(),
        cause: 'contact',
        now,
      });
    },

    /** Keeps the activities of a merged contact, because undoing the merge restores it. */
    async applyDeletion(tx: Transaction, accountId: string, contactId: string, revision: number, { merged = false } = {}) {
      const before = await profiles.touch(tx, accountId, contactId, clock());
      if (before && before.revision < revision) await tombstone(tx, accountId, before, revision, !merged);
    },

    /** In addition to the deletion, in either order: no data of the contact is kept, and no revision restores it. */
    async applyErasure(tx: Transaction, accountId: string, contactId: string) {
      const before = await profiles.touch(tx, accountId, contactId, clock());
      if (before) await tombstone(tx, accountId, before, Number.MAX_SAFE_INTEGER, true);
    },
  };
}
