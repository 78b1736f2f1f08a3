import type { Contact } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { latest } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { DueStore } from '../memberships/due-store.ts';
import type { Evaluate } from '../memberships/evaluate.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { MergeMembers } from '../memberships/merge-members.ts';
import type { MembershipChange, RecordChanges } from '../memberships/record-membership-changes.ts';
import type { NamesStore } from '../names/names-store.ts';
import type { createDefinitionCache } from '../segments/definition-cache.ts';
import { changedFields, isKnown, type Profile } from './profile.ts';
import type { ProfilesStore } from './profiles-store.ts';

export type ApplyContact = ReturnType<typeof createApplyContact>;

type Parts = {
  profiles: ProfilesStore;
  memberships: MembershipsStore;
  due: DueStore;
  definitionsOf: ReturnType<typeof createDefinitionCache>;
  evaluate: Evaluate;
  recordChanges: RecordChanges;
  mergeMembers: MergeMembers;
  names: NamesStore;
  clock: Clock;
};

type Tombstone = { revision: number; erase: boolean; mergedInto: ContactId | undefined };
type Returning = { canReturn?: boolean; mergedInto?: ContactId | undefined };

/** Updates a contact's profile to a newer revision, and its memberships accordingly. */
export function createApplyContact({
  profiles,
  memberships,
  due,
  definitionsOf,
  evaluate,
  recordChanges,
  mergeMembers,
  names,
  clock,
}: Parts) {
  /** The contact leaves every segment. A tombstone stays, so that events in transit change nothing. */
  async function tombstone(tx: Transaction, accountId: AccountId, before: Profile, { revision, erase, mergedInto }: Tombstone) {
    const { id: contactId } = before;
    const index = await definitionsOf(tx, accountId);
    const statics = new Set(index.statics());
    const open = await memberships.openOf(accountId, [contactId], tx);
    const own = open.map(({ segmentId }) => segmentId).filter((id) => statics.has(id));
    // A deletion can be published again, with a higher revision.
    const staticSegments = before.deleted ? before.staticSegments : own;
    await profiles.tombstone(tx, accountId, contactId, { revision, erase, mergedInto, staticSegments });
    await due.removeContact(tx, accountId, contactId);
    const changes = open.flatMap<MembershipChange>(({ id, segmentId, enteredAt }) => {
      const segmentName = index.nameOf(segmentId);
      // The segment is being deleted, and that deletion publishes the leave event.
      if (segmentName === undefined) return [];
      const at = latest(clock(), before.touchedAt, enteredAt);
      return [{ segmentId, segmentName, contactId, at, to: 'outside', membershipId: id }];
    });
    await recordChanges(tx, accountId, { cause: 'deletion' }, changes);
    const survivor = mergedInto === undefined ? undefined : await survivorOf(tx, accountId, mergedInto);
    if (survivor) await mergeMembers.merged(tx, { accountId, index, sourceId: contactId, survivor }, own);
  }

  /** The touched profile of a contact, or of the one that it has been merged into. */
  async function survivorOf(tx: Transaction, accountId: AccountId, contactId: ContactId) {
    const [profile] = await profiles.touch(tx, accountId, [contactId], clock());
    return profile && profiles.touchSurvivor(tx, accountId, profile, clock());
  }

  /** A deleted contact has been restored, or its merge undone. */
  async function comeBack(tx: Transaction, accountId: AccountId, before: Profile, contactId: ContactId) {
    const index = await definitionsOf(tx, accountId);
    if (before.mergedInto === null) return mergeMembers.restored(tx, { accountId, index, contact: before });
    const survivor = await survivorOf(tx, accountId, before.mergedInto);
    if (survivor) await mergeMembers.undone(tx, { accountId, index, sourceId: contactId, survivor }, before, before.staticSegments);
  }

  return {
    /** Applies each contact once. One whose revision or a newer one is known changes nothing. */
    async apply(tx: Transaction, accountId: AccountId, contacts: readonly Contact[]) {
      const now = clock();
      const saved = await profiles.save(tx, accountId, contacts, now);
      if (saved.length === 0) return;
      const attributes = new Set(saved.flatMap(({ contact }) => Object.keys(contact.attributes)));
      await names.learn(tx, accountId, 'attribute', [...attributes]);
      for (const { before, contact } of saved) if (before.deleted) await comeBack(tx, accountId, before, contact.id);
      const index = await definitionsOf(tx, accountId);
      const touched = saved.map(({ before, contact }) => ({
        profile: { ...before, contact, deleted: false, mergedInto: null },
        segmentIds: isKnown(before) ? index.touchedByFields(changedFields(before.contact, contact)) : index.all(),
      }));
      await evaluate(tx, { accountId, index, touched, cause: 'contact', now });
    },

    /** Keeps the activities of a contact that can return. Those of a merged contact count for the survivor. */
    async applyDeletion(
      tx: Transaction,
      accountId: AccountId,
      { contactId, revision, canReturn = false, mergedInto }: { contactId: ContactId; revision: number } & Returning,
    ) {
      const [before] = await profiles.touch(tx, accountId, [contactId], clock());
      if (before && before.revision < revision) {
        await tombstone(tx, accountId, before, { revision, erase: !canReturn && mergedInto === undefined, mergedInto });
      }
    },

    /** In addition to the deletion, in either order: no data of the contact is kept, and no revision restores it. */
    async applyErasure(tx: Transaction, accountId: AccountId, contactId: ContactId) {
      const [before] = await profiles.touch(tx, accountId, [contactId], clock());
      if (before) {
        await tombstone(tx, accountId, before, { revision: Number.MAX_SAFE_INTEGER, erase: true, mergedInto: undefined });
      }
    },
  };
}
