import { z } from 'zod';
import { type Activity, campaignActivities, campaignActivityName, campaignPrefix } from './activity.ts';
import { Window, windowMs } from './duration.ts';
import { type LeafQuestion, never, no, type Subject, type Verdict, yes } from './subject.ts';
import { Where, whereHolds } from './where.ts';

const Times = z.int().min(0).max(1_000_000);
const Count = z
  .strictObject({ gte: Times.optional(), lte: Times.optional(), eq: Times.optional() })
  .refine((count) => Object.keys(count).length > 0, 'Give gte, lte or eq, such as {"gte": 3}.')
  .meta({ minProperties: 1, description: 'How often: at least, at most, exactly; {"gte": 1} when left out, {"eq": 0} asks for absence' });

const counted = {
  count: Count.optional(),
  in_last: Window.optional(),
};

export const EventLeaf = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => !name.startsWith(campaignPrefix), 'Ask for campaign activity with {"campaign": …, "activity": …}.')
    .meta({
      description:
        'The name of a tracked event. Not counted yet: events sent with `backfill: true`, and those of a contact from before it was merged into another',
      examples: ['order_placed'],
    }),
  where: Where.optional(),
  ...counted,
});
export type EventLeaf = z.infer<typeof EventLeaf>;

export const CampaignLeaf = z.strictObject({
  campaign: z
    .string()
    .max(100)
    .regex(/^(any|campaign_[0-9a-z]+)$/, 'Give the id of a campaign, or "any".'),
  activity: z
    .enum(campaignActivities)
    .describe('`opened` and `clicked` count what people did; one that turns out to be a scanner is withdrawn, also later'),
  ...counted,
});
export type CampaignLeaf = z.infer<typeof CampaignLeaf>;

export function eventQuestion(leaf: EventLeaf): LeafQuestion {
  const holds = whereHolds(leaf.where ?? {});
  return countQuestion(leaf.event, ({ properties }) => holds(properties), leaf);
}

export function campaignQuestion(leaf: CampaignLeaf): LeafQuestion {
  const counts = ({ properties }: Activity) => leaf.campaign === 'any' || properties.campaign_id === leaf.campaign;
  return countQuestion(campaignActivityName(leaf.activity), counts, leaf);
}

/** How often a leaf wants to count; both ends belong. */
function rangeOf({ count }: EventLeaf | CampaignLeaf): { min: number; max: number } {
  if (!count) return { min: 1, max: never };
  const { gte = 0, lte = never, eq } = count;
  return { min: Math.max(gte, eq ?? 0), max: Math.min(lte, eq ?? never) };
}

/**
 * An activity counts from when it is recorded until its window has passed, so with time a count only falls, newest last.
 * One stamped in the future (a visitor's fast clock) counts at once.
 */
function countQuestion(name: string, counts: (activity: Activity) => boolean, leaf: EventLeaf | CampaignLeaf): LeafQuestion {
  const { min, max } = rangeOf(leaf);
  const length = leaf.in_last === undefined ? never : windowMs(leaf.in_last);
  // More of them cannot change the answer now, nor the moment it changes.
  const enough = max === never ? min : max + 1;

  function newest(subject: Subject, now: number, limit: number): Activity[] {
    const found: Activity[] = [];
    for (const activity of subject.activities(name)) {
      if (found.length >= limit || activity.time.getTime() + length <= now) break;
      if (counts(activity)) found.push(activity);
    }
    return found;
  }
  const leaves = (activity: Activity | undefined) => (activity ? activity.time.getTime() + length : never);

  function ask(subject: Subject, now: number): Verdict {
    const found = newest(subject, now, enough);
    if (found.length < min) return no;
    if (found.length > max) return { matches: false, until: leaves(found[max]) };
    return min === 0 || length === never ? yes : { matches: true, until: leaves(found[min - 1]) };
  }

  return {
    ask,
    see: (subject, now) => {
      const found = newest(subject, now, never);
      return { count: found.length, newest: found[0]?.time ?? null };
    },
  };
}
