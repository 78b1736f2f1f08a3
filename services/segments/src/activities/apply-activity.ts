import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Cause } from '../memberships/cause.ts';
import type { Evaluate } from '../memberships/evaluate.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { createDefinitions } from '../segments/definitions.ts';
import type { ActivitiesStore } from './activities-store.ts';
import { keptMs, type NewActivity, type Reclassification } from './activity.ts';

export type ApplyActivity = ReturnType<typeof createApplyActivity>;

type Parts = {
  profiles: ProfilesStore;
  activities: ActivitiesStore;
  definitionsOf: ReturnType<typeof createDefinitions>;
  evaluate: Evaluate;
  clock: Clock;
};

type TouchedIn = (index: DefinitionIndex) => Set<SegmentId>;

/** `write` returns whether the activities that count have changed. */
type Change = { time: Date; cause: Cause; touchedIn: TouchedIn; write: () => Promise<boolean> };

/**
 * Stores and corrects activities. Those of a contact that is not known yet are stored until it arrives. Those of a merged contact
 * stay with it, and count for the survivor.
 */
export function createApplyActivity({ profiles, activities, definitionsOf, evaluate, clock }: Parts) {
  async function changeActivity(tx: Transaction, accountId: AccountId, contactId: ContactId, { time, cause, touchedIn, write }: Change) {
    const now = clock();
    if (time.getTime() <= now.getTime() - keptMs) return;
    const owner = await profiles.touch(tx, accountId, contactId, now);
    if (!owner || (owner.deleted && owner.mergedInto === null)) return;
    if (!(await write())) return;
    const profile = await profiles.touchSurvivor(tx, accountId, owner, now);
    if (!profile || !isKnown(profile)) return;
    const index = await definitionsOf(tx, accountId);
    await evaluate(tx, { accountId, index, profiles: [profile], segmentIds: touchedIn(index), cause, now });
  }

  return {
    /** Stores an activity once, and evaluates the segments that depend on it. */
    applyActivity: (
      tx: Transaction,
      accountId: AccountId,
      { contactId, activity, cause, touchedIn }: { contactId: ContactId; activity: NewActivity } & { cause: Cause; touchedIn: TouchedIn },
    ) =>
      changeActivity(tx, accountId, contactId, {
        time: activity.time,
        cause,
        touchedIn,
        write: async () => (await activities.insert(tx, accountId, contactId, activity)) && !activity.machine,
      }),

    /** Applies a correction of whether it was automated, and evaluates the segments that depend on it. */
    applyReclassification: (
      tx: Transaction,
      accountId: AccountId,
      { contactId, reclassification, touchedIn }: { contactId: ContactId; reclassification: Reclassification; touchedIn: TouchedIn },
    ) =>
      changeActivity(tx, accountId, contactId, {
        time: reclassification.time,
        cause: 'activity',
        touchedIn,
        write: () => activities.reclassify(tx, accountId, contactId, reclassification),
      }),
  };
}
