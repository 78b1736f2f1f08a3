import type { AccountId, ContactId } from '@mp/ids';
import { compileRule } from '@mp/rules/compile';
import type { Rule } from '@mp/rules/rule';
import type { Clock } from '@mp/service-kit/clock';
import { activityReach, withinKeeping } from '../activities/activity.ts';
import type { ReadActivities } from '../activities/read-activities.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { KnownProfile } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';

type Parts = { profiles: ProfilesStore; memberships: MembershipsStore; activities: Pick<ReadActivities, 'read'>; clock: Clock };

export type Previewed = { matched: number; scanned: number; finished: boolean; samples: KnownProfile[] };

const chunkSize = 500;
const maxSamples = 20;

/** Evaluates a rule for contacts in id order until all are done or the time is up. Nothing is saved. */
export function createPreview({ profiles, memberships, activities, clock }: Parts) {
  return async function preview(accountId: AccountId, definition: Rule, budgetMs: number): Promise<Previewed> {
    const giveUpAt = performance.now() + budgetMs;
    const now = clock();
    const bounded = withinKeeping(definition);
    const rule = compileRule(bounded);
    const reach = activityReach(bounded);
    const usesSegments = rule.dependencies.segments.length > 0;
    const result: Previewed = { matched: 0, scanned: 0, finished: false, samples: [] };

    for (let after: ContactId | null = null; performance.now() < giveUpAt; ) {
      const page = await profiles.page(accountId, after, chunkSize);
      const ids = page.profiles.map(({ id }) => id);
      const done = await activities.read(accountId, { contactIds: ids, reach, now });
      const inside = Map.groupBy(usesSegments ? await memberships.openOf(accountId, ids) : [], ({ contactId }) => contactId);
      for (const profile of page.profiles) {
        const subject = {
          contact: profile.contact,
          activities: (name: string) => done.get(profile.id)?.get(name) ?? [],
          segments: new Set(inside.get(profile.id)?.map(({ segmentId }) => segmentId)),
        };
        if (!rule.matches(subject, now).matches) continue;
        result.matched += 1;
        if (result.samples.length < maxSamples) result.samples.push(profile);
      }
      result.scanned += page.profiles.length;
      after = page.next;
      if (after === null) return { ...result, finished: true };
    }
    return result;
  };
}
