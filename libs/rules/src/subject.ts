import type { Activity } from './activity.ts';
import type { ContactProfile } from './contact-profile.ts';

/** Everything a rule may read about one contact. */
export type Subject = {
  readonly contact: ContactProfile;
  /** The contact's activities of one name (see `activityNames` of the rule's dependencies), newest first. */
  readonly activities: (name: string) => readonly Activity[];
  /** Ids of the segments the contact is in. */
  readonly segments: ReadonlySet<string>;
};

/** Milliseconds since 1970; `never` where time alone changes nothing. */
export type Instant = number;
export const never: Instant = Number.POSITIVE_INFINITY;

/** An answer, and the moment before which time alone cannot change it. */
export type Verdict = { readonly matches: boolean; readonly until: Instant };

/** A rule or a part of it, ready to be asked. */
export type Question = (subject: Subject, now: Instant) => Verdict;

export const yes: Verdict = { matches: true, until: never };
export const no: Verdict = { matches: false, until: never };

/** A leaf, ready to be asked, and what it looks at: `explain` shows it. */
export type LeafQuestion = { readonly ask: Question; readonly see: (subject: Subject, now: Instant) => unknown };
