import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { latest } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import { type Reach, widen } from '../activities/activity.ts';
import type { ReadActivities } from '../activities/read-activities.ts';
import type { KnownProfile } from '../profiles/profile.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { Cause } from './cause.ts';
import { decideMemberships } from './decide-memberships.ts';
import type { DueChange, DueStore } from './due-store.ts';
import type { MembershipsStore, OpenMembership } from './memberships-store.ts';
import type { MembershipChange, RecordChanges } from './record-membership-changes.ts';

export type Evaluate = ReturnType<typeof createEvaluate>['evaluate'];

type Parts = { memberships: MembershipsStore; activities: Pick<ReadActivities, 'read'>; due: DueStore; recordChanges: RecordChanges };

/** A profile touched by this transaction, as it is after the change, and the segments whose result may have changed. */
export type Touched = { profile: KnownProfile; segmentIds: ReadonlySet<SegmentId> };

type Evaluation = {
  accountId: AccountId;
  index: DefinitionIndex;
  touched: readonly Touched[];
  cause: Cause;
  now: Date;
};

/** Evaluates segments for contacts and writes the changes, all in the caller's transaction. */
export function createEvaluate({ memberships, activities, due, recordChanges }: Parts) {
  let evaluated = 0;

  async function evaluate(tx: Transaction, { accountId, index, touched: all, cause, now }: Evaluation) {
    const touched = all.filter(({ segmentIds }) => segmentIds.size > 0);
    if (touched.length === 0) return;
    const contactIds = touched.map(({ profile }) => profile.id);
    const open = byContact(await memberships.openOf(accountId, contactIds, tx));
    const reach = reachOf(index, new Set(touched.flatMap(({ segmentIds }) => [...segmentIds])));
    const done = await activities.read(accountId, { contactIds, reach, now, tx });

    const changes: MembershipChange[] = [];
    const dueChanges: DueChange[] = [];
    for (const { profile, segmentIds } of touched) {
      const { id: contactId, contact, touchedAt } = profile;
      const own = open.get(contactId) ?? new Map<SegmentId, OpenMembership>();
      const facts = { contact, activities: done.get(contactId) ?? new Map(), inside: new Set(own.keys()) };
      const decision = decideMemberships(index, segmentIds, facts, now);
      evaluated += decision.evaluated;

      for (const { id: segmentId, name: segmentName, version, definitionAt } of decision.entered) {
        // Never before the contact's last change, even if another replica's clock is ahead, and always after `definitionAt`,
        // at which the previous version still applies.
        const at = latest(now, touchedAt, new Date(definitionAt.getTime() + 1));
        changes.push({ segmentId, segmentName, contactId, at, to: 'inside', version });
      }
      for (const { id: segmentId, name: segmentName, definitionAt } of decision.left) {
        const membership = own.get(segmentId);
        if (!membership) continue;
        const at = latest(now, touchedAt, membership.enteredAt, new Date(definitionAt.getTime() + 1));
        changes.push({ segmentId, segmentName, contactId, at, to: 'outside', membershipId: membership.id });
      }
      for (const { definition, dueAt } of decision.due) dueChanges.push({ segmentId: definition.id, contactId, dueAt });
    }
    await due.change(tx, accountId, dueChanges);
    await recordChanges(tx, accountId, { cause }, changes);
  }

  return { evaluate, evaluations: () => evaluated };
}

function byContact(open: readonly OpenMembership[]) {
  const found = new Map<ContactId, Map<SegmentId, OpenMembership>>();
  for (const membership of open) {
    const own = found.get(membership.contactId) ?? new Map<SegmentId, OpenMembership>();
    found.set(membership.contactId, own.set(membership.segmentId, membership));
  }
  return found;
}

/** The activities needed to evaluate these segments and those that depend on them. */
function reachOf(index: DefinitionIndex, segmentIds: ReadonlySet<SegmentId>): Map<string, Reach> {
  const reach = new Map<string, Reach>();
  for (const id of index.withDependents(segmentIds)) {
    for (const [name, needed] of index.get(id)?.reach ?? []) widen(reach, name, needed);
  }
  return reach;
}
