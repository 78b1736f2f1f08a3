import type { AccountId, ContactId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import type { Clock } from '@mp/service-kit/clock';
import { activityReach, withinKeeping } from '../activities/activity.ts';
import type { ReadActivities } from '../activities/read-activities.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { KnownProfile } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';

type Parts = { profiles: ProfilesStore; memberships: MembershipsStore; activities: Pick<ReadActivities, 'read'>; clock: Clock };

/** How far a preview is: `after` is the last contact that was evaluated. */
export type Progress = { matched: number; scanned: number; after: ContactId | null };

export const unbegun: Progress = { matched: 0, scanned: 0, after: null };

export type Previewed = Progress & { finished: boolean; samples: KnownProfile[] };

/** Activities are read for all contacts of a chunk at once. */
const chunkSizes = { withActivities: 500, otherwise: 2_000 };
const maxSamples = 20;

/** Evaluates a rule for contacts in id order until all are done or the time is up, at least for some. Nothing is saved. */
export function createPreview({ profiles, memberships, activities, clock }: Parts) {
  return async function preview(
    accountId: AccountId,
    definition: Rule,
    { begun = unbegun, budgetMs }: { begun?: Progress; budgetMs: number },
  ): Promise<Previewed> {
    const giveUpAt = performance.now() + budgetMs;
    const now = clock();
    const bounded = withinKeeping(definition);
    const rule = compileRule(bounded);
    const { fields, segments } = rule.dependencies;
    const reach = activityReach(bounded);
    const limit = reach.size > 0 ? chunkSizes.withActivities : chunkSizes.otherwise;
    const read = (after: ContactId | null) => profiles.scan(accountId, { after, limit, fields });
    const sampled: ContactId[] = [];
    let { matched, scanned, after } = begun;
    let finished = false;

    // The next contacts are read while these are evaluated.
    for (let reading = read(after); !finished; ) {
      const chunk = await reading;
      if (chunk.next !== null) reading = read(chunk.next);
      // An error of the next ones is thrown where they are awaited, if they are.
      reading.catch(() => undefined);
      const ids = chunk.contacts.map(({ id }) => id);
      const [done, inside] = await Promise.all([
        activities.read(accountId, { contactIds: ids, reach, now }),
        segments.length > 0 ? memberships.openOf(accountId, ids) : [],
      ]);
      const memberOf = Map.groupBy(inside, ({ contactId }) => contactId);
      for (const { id, contact } of chunk.contacts) {
        const subject = {
          contact,
          activities: (name: string) => done.get(id)?.get(name) ?? [],
          segments: new Set(memberOf.get(id)?.map(({ segmentId }) => segmentId)),
        };
        if (!rule.matches(subject, now).matches) continue;
        matched += 1;
        if (sampled.length < maxSamples) sampled.push(id);
      }
      scanned += ids.length;
      finished = chunk.next === null;
      after = chunk.next;
      if (performance.now() >= giveUpAt) break;
    }
    const known = await profiles.find(accountId, sampled);
    return { matched, scanned, after, finished, samples: sampled.flatMap((id) => known.get(id) ?? []) };
  };
}
