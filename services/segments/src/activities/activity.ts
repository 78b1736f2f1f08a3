import type { Activity } from '@mp/rules/activity';
import { campaignActivityName, formActivityName } from '@mp/rules/activity';
import { aggregateOf } from '@mp/rules/aggregate';
import { durationMs, maxWindowDays } from '@mp/rules/duration';
import type { Rule } from '@mp/rules/rule';
import { sequenceEvents } from '@mp/rules/sequence-leaf';
import { leavesOf, mapLeaves } from './rule-leaves.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** How long an activity counts. */
export const activityRetentionMs = maxWindowDays * dayMs;

/** How many of a contact's activities with one name a rule can count; the newest ones. */
export const maxActivities = 10_000;

/** One more, to detect when there are more than that. */
export const maxRead = maxActivities + 1;

const maxProperties = 100;
const maxValueLength = 1_000;

/** Something that happened to a contact, on its way into the store. */
export type NewActivity = Activity & {
  /** The same in every event about the same activity. */
  id: string;
  /** Whether a scanner, prefetcher or bot did it: stored, but never counted. */
  machine: boolean;
};

/** A correction of an activity, and when it was made. Of two, the later one applies. */
export type Reclassification = NewActivity & { reclassifiedAt: Date };

/** Properties as stored: bounded, and as pairs, because names can contain dots and dollar signs. */
export const keptProperties = (properties: Activity['properties']): [string, string | number | boolean | null][] =>
  Object.entries(properties)
    .slice(0, maxProperties)
    .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, maxValueLength) : value]);

/** How far back, and how many activities of one name, a rule needs. */
export type Reach = { windowMs: number; limit: number };

/**
 * The rule as it is evaluated. A count without a time window gets the retention period as its window, so that the rule
 * accounts for the time at which an activity expires.
 */
export const withinKeeping = (rule: Rule): Rule =>
  mapLeaves(rule, (leaf) =>
    ('event' in leaf || 'sequence' in leaf || 'campaign' in leaf || 'form' in leaf) && leaf.in_last === undefined
      ? { ...leaf, in_last: `P${maxWindowDays}D` }
      : leaf,
  );

/** By activity name, what to load of a contact's activities before evaluating the rule. */
export function activityReach(rule: Rule): Map<string, Reach> {
  const reach = new Map<string, Reach>();
  for (const { leaf } of leavesOf(rule)) {
    if ('sequence' in leaf) for (const name of sequenceEvents(leaf)) widen(reach, name, { windowMs: windowOf(leaf), limit: maxRead });
    if (!('event' in leaf) && !('campaign' in leaf) && !('form' in leaf)) continue;
    const name = 'event' in leaf ? leaf.event : 'campaign' in leaf ? campaignActivityName(leaf.activity) : formActivityName(leaf.activity);
    // An aggregate needs every activity in the window, a condition on some of them all that could be among those.
    const narrowed =
      'event' in leaf
        ? Object.keys(leaf.where ?? {}).length > 0 || aggregateOf(leaf) !== undefined
        : ('campaign' in leaf ? leaf.campaign : leaf.form) !== 'any';
    const { gte = 0, lte, eq } = leaf.count ?? { gte: 1 };
    // One more than the highest relevant count determines the result and the time at which it changes.
    const enough = Math.max(gte, lte === undefined ? 0 : lte + 1, eq === undefined ? 0 : eq + 1);
    widen(reach, name, { windowMs: windowOf(leaf), limit: narrowed ? maxRead : Math.min(Math.max(enough, 1), maxRead) });
  }
  return reach;
}

const windowOf = ({ in_last }: { in_last?: string | undefined }) =>
  in_last === undefined ? activityRetentionMs : (durationMs(in_last) ?? activityRetentionMs);

export function widen(reach: Map<string, Reach>, name: string, { windowMs, limit }: Reach) {
  const known = reach.get(name);
  reach.set(name, { windowMs: Math.max(windowMs, known?.windowMs ?? 0), limit: Math.max(limit, known?.limit ?? 0) });
}
