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

/** Brings one contact's profile to a newer revision, with all that follows from it. */
export function createApplyContact({ profiles, memberships, due, definitionsOf, evaluate, recordChanges, clock }: Parts) {
  /** The contact leaves every segment; a tombstone stays, so that events still on their way change nothing. */
  async function bury(tx: Transaction, accountId: string, before: Profile, revision: number, erase: boolean) {
    const { id: contactId } = before;
    await profiles.bury(tx, accountId, contactId, revision, erase);
    await due.removeContact(tx, accountId, contactId);
    const index = await definitionsOf(tx, accountId);
    const changes = (await memberships.openOf(accountId, [contactId], tx)).flatMap<MembershipChange>(({ id, segmentId, enteredAt }) => {
      const definition = index.get(segmentId);
      // Of a segment that is being deleted: that deletion tells it.
      if (!definition) return [];
      const at = latest(clock(), before.touchedAt, enteredAt);
      return [{ segmentId, segmentName: definition.name, contactId, at, to: 'outside', membershipId: id }];
    });
    await recordChanges(tx, accountId, 'deletion', changes);
  }

  return {
    /** Does nothing when this revision or a newer one is known. */
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

    /** One that was merged into another may come back, so what it did is kept for then. */
    async applyDeletion(tx: Transaction, accountId: string, contactId: string, revision: number, { merged = false } = {}) {
      const before = await profiles.touch(tx, accountId, contactId, clock());
      if (before && before.revision < revision) await bury(tx, accountId, before, revision, !merged);
    },

    /** On top of its deletion, whichever is heard first: nothing of the contact is kept, and no revision brings it back. */
    async applyErasure(tx: Transaction, accountId: string, contactId: string) {
      const before = await profiles.touch(tx, accountId, contactId, clock());
      if (before) await bury(tx, accountId, before, Number.MAX_SAFE_INTEGER, true);
    },
  };
}
