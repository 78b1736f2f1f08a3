import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Cause } from '../memberships/cause.ts';
import type { Evaluate, Touched } from '../memberships/evaluate.ts';
import { isKnown, type Profile } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { createDefinitionCache } from '../segments/definition-cache.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { ActivitiesStore } from './activities-store.ts';
import { activityRetentionMs, type NewActivity, type Reclassification } from './activity.ts';

export type ApplyActivity = ReturnType<typeof createApplyActivity>;

type Parts = {
  profiles: ProfilesStore;
  activities: ActivitiesStore;
  definitionsOf: ReturnType<typeof createDefinitionCache>;
  evaluate: Evaluate;
  clock: Clock;
};

type TouchedIn = (index: DefinitionIndex) => Set<SegmentId>;

/** `touchedIn`: the segments that depend on the activity. */
export type Done = { contactId: ContactId; activity: NewActivity; touchedIn: TouchedIn };
type Reclassified = { contactId: ContactId; reclassification: Reclassification; touchedIn: TouchedIn };

/**
 * Stores and corrects activities. Those of a contact that is not known yet are stored until it arrives. Those of a merged contact
 * stay with it, and count for the survivor.
 */
export function createApplyActivity({ profiles, activities, definitionsOf, evaluate, clock }: Parts) {
  /** The contacts whose activities count: present ones, those not known yet, and merged ones. */
  async function ownersOf(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[], now: Date) {
    const owners = await profiles.touch(tx, accountId, [...new Set(contactIds)], now);
    return new Map(owners.flatMap((owner) => (owner.deleted && owner.mergedInto === null ? [] : [[owner.id, owner] as const])));
  }

  async function evaluateOwners(
    tx: Transaction,
    accountId: AccountId,
    changed: readonly { owner: Profile; touchedIn: TouchedIn }[],
    { cause, now }: { cause: Cause; now: Date },
  ) {
    if (changed.length === 0) return;
    const index = await definitionsOf(tx, accountId);
    const touched: Touched[] = [];
    for (const { owner, touchedIn } of changed) {
      const profile = await profiles.touchSurvivor(tx, accountId, owner, now);
      if (profile && isKnown(profile)) touched.push({ profile, segmentIds: touchedIn(index) });
    }
    await evaluate(tx, { accountId, index, touched, cause, now });
  }

  const counts = (time: Date, now: Date) => time.getTime() > now.getTime() - activityRetentionMs;

  return {
    /** Stores activities of different contacts once, and evaluates the segments that depend on them. */
    async applyActivities(tx: Transaction, accountId: AccountId, cause: Cause, all: readonly Done[]) {
      const now = clock();
      const done = all.filter(({ activity }) => counts(activity.time, now));
      const owners = await ownersOf(
        tx,
        accountId,
        done.map(({ contactId }) => contactId),
        now,
      );
      const fresh = await activities.insert(
        tx,
        accountId,
        done.filter(({ contactId }) => owners.has(contactId)),
      );
      const changed = fresh.flatMap(({ contactId, activity, touchedIn }) => {
        const owner = owners.get(contactId);
        return owner && !activity.machine ? [{ owner, touchedIn }] : [];
      });
      await evaluateOwners(tx, accountId, changed, { cause, now });
    },

    /** Applies a correction of whether it was automated, and evaluates the segments that depend on it. */
    async applyReclassification(tx: Transaction, accountId: AccountId, { contactId, reclassification, touchedIn }: Reclassified) {
      const now = clock();
      if (!counts(reclassification.time, now)) return;
      const owner = (await ownersOf(tx, accountId, [contactId], now)).get(contactId);
      if (!owner || !(await activities.reclassify(tx, accountId, contactId, reclassification))) return;
      await evaluateOwners(tx, accountId, [{ owner, touchedIn }], { cause: 'activity', now });
    },
  };
}
