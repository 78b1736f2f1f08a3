import type { Activity } from '@mp/rules/activity';
import { campaignActivityName } from '@mp/rules/activity';
import { durationMs, longestWindowDays } from '@mp/rules/duration';
import type { Rule } from '@mp/rules/rule';
import { leavesOf, mapLeaves } from '../segments/rule-leaves.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** How long an activity counts. */
export const keptMs = longestWindowDays * dayMs;

/** How many of the newest activities of one name a rule can see of one contact. */
export const mostActivities = 10_000;

/** One more tells whether there are at most that many. */
export const mostRead = mostActivities + 1;

const mostProperties = 100;
const longestValue = 1_000;

/** Something that happened to a contact, on its way into the store. */
export type NewActivity = Activity & {
  /** The same for every telling of the same activity. */
  id: string;
  /** A scanner, prefetcher or bot did it: kept, never counted. */
  machine: boolean;
};

/** What an activity turned out to be, and when that was found: of two, the later one holds. */
export type Verdict = NewActivity & { judgedAt: Date };

/** Properties as they are kept: bounded, and as pairs, because names may hold dots and dollar signs. */
export const keptProperties = (properties: Activity['properties']): [string, string | number | boolean | null][] =>
  Object.entries(properties)
    .slice(0, mostProperties)
    .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, longestValue) : value]);

/** How far back and how many activities of one name a rule must see. */
export type Reach = { windowMs: number; limit: number };

/**
 * The rule as it is evaluated: counting "ever" means as long as activities are kept, so that the moment one is forgotten
 * is a moment the rule knows of.
 */
export const withinKeeping = (rule: Rule): Rule =>
  mapLeaves(rule, (leaf) =>
    ('event' in leaf || 'campaign' in leaf) && leaf.in_last === undefined ? { ...leaf, in_last: `P${longestWindowDays}D` } : leaf,
  );

/** By name, what to load of a contact's activities before asking the rule. */
export function activityReach(rule: Rule): Map<string, Reach> {
  const reach = new Map<string, Reach>();
  for (const { leaf } of leavesOf(rule)) {
    if (!('event' in leaf) && !('campaign' in leaf)) continue;
    const name = 'event' in leaf ? leaf.event : campaignActivityName(leaf.activity);
    const narrowed = 'event' in leaf ? Object.keys(leaf.where ?? {}).length > 0 : leaf.campaign !== 'any';
    const { gte = 0, lte, eq } = leaf.count ?? { gte: 1 };
    // One more than the most it may be settles the answer, and the moment it changes.
    const enough = Math.max(gte, lte === undefined ? 0 : lte + 1, eq === undefined ? 0 : eq + 1);
    const windowMs = leaf.in_last === undefined ? keptMs : (durationMs(leaf.in_last) ?? keptMs);
    widen(reach, name, { windowMs, limit: narrowed ? mostRead : Math.min(Math.max(enough, 1), mostRead) });
  }
  return reach;
}

export function widen(reach: Map<string, Reach>, name: string, { windowMs, limit }: Reach) {
  const known = reach.get(name);
  reach.set(name, { windowMs: Math.max(windowMs, known?.windowMs ?? 0), limit: Math.max(limit, known?.limit ?? 0) });
}
