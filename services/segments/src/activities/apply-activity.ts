import type { Transaction } from '@mp/service-kit/mongo';
import type { Clock } from '../clock.ts';
import type { Evaluate } from '../memberships/evaluate.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { createDefinitions } from '../segments/definitions.ts';
import type { ActivitiesStore } from './activities-store.ts';
import { keptMs, type NewActivity } from './activity.ts';

export type ApplyActivity = ReturnType<typeof createApplyActivity>;

type Parts = {
  profiles: ProfilesStore;
  activities: ActivitiesStore;
  definitionsOf: ReturnType<typeof createDefinitions>;
  evaluate: Evaluate;
  clock: Clock;
};

/** Keeps what a contact did, once, and evaluates the segments that ask for it. One of a contact not known yet waits for it. */
export function createApplyActivity({ profiles, activities, definitionsOf, evaluate, clock }: Parts) {
  return async function applyActivity(
    tx: Transaction,
    accountId: string,
    contactId: string,
    activity: NewActivity,
    touchedIn: (index: DefinitionIndex) => Set<string>,
  ) {
    const now = clock();
    if (activity.time.getTime() <= now.getTime() - keptMs) return;
    const profile = await profiles.touch(tx, accountId, contactId, now);
    if (!profile || profile.deleted) return;
    const isNew = await activities.insert(tx, accountId, contactId, activity);
    if (!isNew || activity.machine || !isKnown(profile)) return;
    const index = await definitionsOf(tx, accountId);
    await evaluate(tx, { accountId, index, profiles: [profile], segmentIds: touchedIn(index), cause: 'activity', now });
  };
}
