import { z } from 'zod';
import type { Activity } from './activity.ts';
import { EventName } from './activity-leaf.ts';
import { durationMs, maxWindowDays, Window, windowMs, windowOr } from './duration.ts';
import { type Instant, type LeafEvaluator, never, no, type Subject } from './subject.ts';
import { EventWhere, eventWhereHolds } from './where.ts';

const maxSteps = 10;

const Happened = z.strictObject({
  event: EventName.describe('Name of a tracked event that follows the step before.'),
  where: EventWhere.optional(),
});
const Absent = z.strictObject({
  not_event: EventName.describe('Name of a tracked event that must not follow before `within` has passed. Must be the last step.'),
  where: EventWhere.optional(),
});
const Step = z.union([Happened, Absent]);
type Step = z.infer<typeof Step>;

const missingWindow = 'A sequence needs within, such as "P7D": the longest time from its first event to its last.';

export const SequenceLeaf = z
  .strictObject({
    sequence: z
      .array(Step)
      .min(2, 'A sequence needs at least two steps; for one event, use {"event": …}.')
      .max(maxSteps, `A sequence can have at most ${maxSteps} steps.`)
      .describe('Events in this order, each later than the one before. Steps with `not_event` come last.'),
    within: windowOr(missingWindow).describe(
      'The longest time from the first event to the last. With `not_event`, the contact matches once this time has passed since the first event.',
    ),
    in_last: Window.optional(),
  })
  .superRefine(({ sequence, within, in_last }, context) => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const firstAbsent = sequence.findIndex((step) => 'not_event' in step);
    const misplaced = sequence.findIndex((step, index) => index > firstAbsent && 'event' in step);
    if (firstAbsent === 0) wrong(['sequence', 0], 'A sequence begins with {"event": …}.');
    else if (firstAbsent > 0 && misplaced >= 0) wrong(['sequence', misplaced], 'No event can follow {"not_event": …}; it comes last.');
    const [span, window] = [durationMs(within) ?? 0, durationMs(in_last ?? maxWindow) ?? 0];
    if (firstAbsent > 0 && window <= span) wrong(['within'], `within must be shorter than in_last (${in_last ?? maxWindow}).`);
    else if (window < span) wrong(['within'], `within can be at most as long as in_last (${in_last}).`);
  });
export type SequenceLeaf = z.infer<typeof SequenceLeaf>;

const maxWindow = `P${maxWindowDays}D`;

/** The names of the tracked events that a sequence depends on. */
export const sequenceEvents = ({ sequence }: SequenceLeaf): string[] => sequence.map(eventOf);

/** The name of the tracked event of a step, whether it must happen or not. */
export const eventOf = (step: Step): string => ('event' in step ? step.event : step.not_event);

/** Whether time alone can change the result. */
export const sequenceDependsOnTime = ({ sequence, in_last }: SequenceLeaf): boolean =>
  in_last !== undefined || sequence.some((step) => 'not_event' in step);

/**
 * A sequence holds from each of its first events that the other steps follow: immediately, or, with `not_event`, once `within`
 * has passed; and until the first event leaves `in_last`.
 */
export function sequenceEvaluator({ sequence, within, in_last }: SequenceLeaf): LeafEvaluator {
  const span = windowMs(within);
  const length = in_last === undefined ? never : windowMs(in_last);
  const steps = sequence.map((step) => ({ name: eventOf(step), holds: eventWhereHolds(step.where ?? {}), happens: 'event' in step }));
  const [first, ...later] = steps.filter(({ happens }) => happens);
  const absent = steps.filter(({ happens }) => !happens);
  const delay = absent.length > 0 ? span : -never;

  /** The times of the first events that the other steps follow, oldest first. */
  function starts(subject: Subject, now: Instant): Instant[] {
    const timesOf = (step: (typeof steps)[number]) => timesIn(subject.activities(step.name), step.holds, now - length);
    const begun = first ? timesOf(first) : [];
    const ends = later.reduce<End[]>(
      (reached, step) => extend(reached, timesOf(step)),
      begun.map((at) => ({ at, start: at })),
    );
    const latestEnd = latestUntil(ends, ({ at }) => at);
    const latestAbsent = latestUntil(absent.flatMap(timesOf).sort(ascending), (at) => at);
    return begun.filter((start) => {
      const end = latestEnd(start + span);
      if (!end || end.start < start) return false;
      const last = later.length === 0 ? start : end.at;
      return (latestAbsent(start + span) ?? -never) <= last;
    });
  }

  return {
    evaluate: (subject, now) => {
      const found = starts(subject, now);
      const [earliest] = found;
      if (earliest === undefined) return no;
      if (earliest + delay > now) return { matches: false, until: earliest + delay };
      let until = earliest + length;
      // Every match lasts equally long, so one that begins before the earlier ones have ended prolongs them.
      for (const start of found) if (start + delay <= until) until = start + length;
      return { matches: true, until };
    },
    see: (subject, now) => {
      const held = starts(subject, now).filter((start) => start + delay <= now);
      const newest = held.at(-1);
      return { count: held.length, newest: newest === undefined ? null : new Date(newest) };
    },
  };
}

/** An event at `at` to which the steps so far lead, and the newest first event from which they do. */
type End = { at: Instant; start: Instant };

/** The ends after one more step, which happens at `times`. Both are ordered by time, and so are the starts of the ends. */
function extend(ends: readonly End[], times: readonly Instant[]): End[] {
  const before = latestUntil(ends, ({ at }) => at + 1);
  return times.flatMap((at) => {
    const end = before(at);
    return end ? [{ at, start: end.start }] : [];
  });
}

/** Finds the last of the items whose time is not after a moment. Called with later and later moments, it passes each item once. */
function latestUntil<Item>(items: readonly Item[], timeOf: (item: Item) => Instant): (moment: Instant) => Item | undefined {
  let index = 0;
  let latest: Item | undefined;
  return (moment) => {
    for (let next = items[index]; next !== undefined && timeOf(next) <= moment; next = items[index]) {
      latest = next;
      index += 1;
    }
    return latest;
  };
}

/** When the activities after `since` that count happened, oldest first. */
function timesIn(activities: readonly Activity[], counts: (activity: Activity) => boolean, since: Instant): Instant[] {
  const times: Instant[] = [];
  for (const activity of activities) {
    if (activity.time.getTime() <= since) break;
    if (counts(activity)) times.push(activity.time.getTime());
  }
  return times.reverse();
}

const ascending = (a: Instant, b: Instant) => a - b;
