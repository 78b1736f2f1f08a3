import type { Activity } from './activity.ts';
import type { ContactProfile } from './contact-profile.ts';

/** Everything that a rule can read about one contact. */
export type Subject = {
  readonly contact: ContactProfile;
  /** The contact's activities of one name (see `activityNames` of the rule's dependencies), newest first. */
  readonly activities: (name: string) => readonly Activity[];
  /** Ids of the segments the contact is in. */
  readonly segments: ReadonlySet<string>;
};

/** Milliseconds since 1970; `never` when time alone changes nothing. */
export type Instant = number;
export const never: Instant = Number.POSITIVE_INFINITY;

/** A result, and the time before which it cannot change through time alone. */
export type Evaluation = { readonly matches: boolean; readonly until: Instant };

/** A compiled rule or a part of one. */
export type Evaluator = (subject: Subject, now: Instant) => Evaluation;

export const yes: Evaluation = { matches: true, until: never };
export const no: Evaluation = { matches: false, until: never };

/** A compiled condition: `see` returns the value that `evaluate` uses, for `explain`. */
export type LeafEvaluator = { readonly evaluate: Evaluator; readonly see: (subject: Subject, now: Instant) => unknown };
