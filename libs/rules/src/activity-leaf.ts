import { z } from 'zod';
import {
  type Activity,
  campaignActivities,
  campaignActivityName,
  campaignPrefix,
  formActivities,
  formActivityName,
  formPrefix,
} from './activity.ts';
import { type Aggregate, aggregateNames, aggregateOf, aggregates, evaluationWhileLeaving } from './aggregate.ts';
import { Window, windowMs } from './duration.ts';
import { type Evaluation, type LeafEvaluator, never, no, type Subject, yes } from './subject.ts';
import { EventWhere, eventWhereHolds } from './where.ts';

const Times = z.int().min(0).max(1_000_000);
const Count = z
  .strictObject({ gte: Times.optional(), lte: Times.optional(), eq: Times.optional() })
  .refine((count) => Object.keys(count).length > 0, 'count must have gte, lte or eq, such as {"gte": 3}.')
  .meta({
    minProperties: 1,
    description: 'How often: at least (`gte`), at most (`lte`) or exactly (`eq`). `{"gte": 1}` by default; `{"eq": 0}` matches absence.',
  });

const counted = {
  count: Count.optional(),
  in_last: Window.optional(),
};

/** Name of a tracked event. */
export const EventName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !name.startsWith(campaignPrefix), 'For campaign activity, use {"campaign": …, "activity": …}.')
  .refine((name) => !name.startsWith(formPrefix), 'For form activity, use {"form": …, "activity": …}.');

export const EventLeaf = z
  .strictObject({
    event: EventName.meta({
      description:
        'Name of a tracked event. Events sent with `backfill: true` count, and so do the events of contacts merged into this one.',
      examples: ['order_placed'],
    }),
    where: EventWhere.optional(),
    ...counted,
    ...aggregates,
  })
  .superRefine((leaf, context) => {
    const tests = ['count', ...aggregateNames].filter((name) => Object.hasOwn(leaf, name));
    if (tests.length < 2) return;
    const message = `Use only one of ${tests.join(' and ')} per condition; combine conditions with all.`;
    context.addIssue({ code: 'custom', path: [tests[1] ?? ''], message });
  })
  .meta({ title: 'Tracked event' });
export type EventLeaf = z.infer<typeof EventLeaf>;

export const CampaignLeaf = z
  .strictObject({
    campaign: z
      .string()
      .max(100)
      .regex(/^(any|(campaign|workflow)_[0-9a-z]+)$/, 'campaign must be the ID of a campaign or of a workflow, or "any".')
      .describe('The ID of a campaign; the ID of a workflow, for the emails of its steps; or `any`.'),
    activity: z
      .enum(campaignActivities)
      .describe(
        '`opened` and `clicked` count human activity only. An open or click that later turns out to be automated stops counting. `bounced` means that the address is undeliverable; `refused`, that the receiving server permanently rejected the email for another reason, such as a full mailbox. `converted`: a conversion, such as an order, after a click in the email.',
      ),
    ...counted,
  })
  .meta({ title: 'Campaign activity' });
export type CampaignLeaf = z.infer<typeof CampaignLeaf>;

export const FormLeaf = z
  .strictObject({
    form: z
      .string()
      .max(100)
      .regex(/^(any|form_[0-9a-z]+)$/, 'form must be the ID of a form, or "any".'),
    activity: z
      .enum(formActivities)
      .describe('`submitted` counts every submission; `confirmed` those that were confirmed by the link in the confirmation email.'),
    ...counted,
  })
  .meta({ title: 'Form activity' });
export type FormLeaf = z.infer<typeof FormLeaf>;

export function eventEvaluator(leaf: EventLeaf): LeafEvaluator {
  const holds = eventWhereHolds(leaf.where ?? {});
  const aggregate = aggregateOf(leaf);
  return aggregate ? aggregateEvaluator(leaf, holds, aggregate) : countEvaluator(leaf.event, holds, leaf);
}

export function campaignEvaluator(leaf: CampaignLeaf): LeafEvaluator {
  const counts = ({ properties }: Activity) =>
    leaf.campaign === 'any' || properties.campaign_id === leaf.campaign || properties.workflow_id === leaf.campaign;
  return countEvaluator(campaignActivityName(leaf.activity), counts, leaf);
}

type CountedLeaf = EventLeaf | CampaignLeaf | FormLeaf;

export function formEvaluator(leaf: FormLeaf): LeafEvaluator {
  const counts = ({ properties }: Activity) => leaf.form === 'any' || properties.form_id === leaf.form;
  return countEvaluator(formActivityName(leaf.activity), counts, leaf);
}

/** The range of counts that match, both ends included. */
function rangeOf({ count }: CountedLeaf): { min: number; max: number } {
  if (!count) return { min: 1, max: never };
  const { gte = 0, lte = never, eq } = count;
  return { min: Math.max(gte, eq ?? 0), max: Math.min(lte, eq ?? never) };
}

/**
 * An activity counts from when it is recorded until its window has passed, so time alone can only lower a count, oldest first.
 * An activity with a time in the future (a visitor's fast clock) counts immediately.
 */
function countEvaluator(name: string, counts: (activity: Activity) => boolean, leaf: CountedLeaf): LeafEvaluator {
  const { min, max } = rangeOf(leaf);
  const { newest, leaves } = windowOf(name, counts, leaf);
  // More activities cannot change the result, nor when it changes.
  const enough = max === never ? min : max + 1;

  function evaluate(subject: Subject, now: number): Evaluation {
    const found = newest(subject, now, enough);
    if (found.length < min) return no;
    if (found.length > max) return { matches: false, until: leaves(found[max]) };
    return min === 0 ? yes : { matches: true, until: leaves(found[min - 1]) };
  }

  return {
    evaluate,
    see: (subject, now) => {
      const found = newest(subject, now, never);
      return { count: found.length, newest: found[0]?.time ?? null };
    },
  };
}

/** Tests an aggregate of the activities instead of their number. Each that leaves the window can change it either way. */
function aggregateEvaluator(leaf: EventLeaf, holds: (activity: Activity) => boolean, aggregate: Aggregate): LeafEvaluator {
  const counts = (activity: Activity) => holds(activity) && aggregate.counts(activity);
  const { newest, leaves } = windowOf(leaf.event, counts, leaf);
  return {
    evaluate: (subject, now) => {
      const counted = newest(subject, now, never);
      return evaluationWhileLeaving(counted, leaves, aggregate.over(counted).evaluation, now);
    },
    see: (subject, now) => {
      const counted = newest(subject, now, never);
      return { value: aggregate.over(counted).value, count: counted.length, newest: counted[0]?.time ?? null };
    },
  };
}

/** The counted activities in the window of a condition, newest first, and when each leaves it. */
function windowOf(name: string, counts: (activity: Activity) => boolean, { in_last }: CountedLeaf) {
  const length = in_last === undefined ? never : windowMs(in_last);
  return {
    leaves: (activity: Activity | undefined) => (activity ? activity.time.getTime() + length : never),
    newest(subject: Subject, now: number, limit: number): Activity[] {
      const found: Activity[] = [];
      for (const activity of subject.activities(name)) {
        if (found.length >= limit || activity.time.getTime() + length <= now) break;
        if (counts(activity)) found.push(activity);
      }
      return found;
    },
  };
}
