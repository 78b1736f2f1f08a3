import type { CampaignActivity, FormActivity } from '../activity.ts';
import type { ContactProfile } from '../contact-profile.ts';
import type { Rule } from '../rule.ts';

/** What an example knows about a contact. The times of events are days ago; with `activity` or `formActivity`, an event is one of a campaign or form. */
export type ExampleSubject = {
  contact?: ContactProfile;
  events?: readonly ExampleEvent[];
  segments?: readonly string[];
};
export type ExampleEvent = {
  name?: string;
  activity?: CampaignActivity;
  formActivity?: FormActivity;
  daysAgo: number;
  amount?: number;
  properties?: Record<string, string | number | boolean>;
};

/** A rule with its meaning, a contact that matches and one that does not. */
export type RuleExample = { means: string; rule: Rule; matches: ExampleSubject; fails: ExampleSubject };

/** The time at which the examples are evaluated. */
export const exampleNow = new Date('2026-05-15T12:00:00Z');

export const of = (contact: ContactProfile): ExampleSubject => ({ contact });
export const attributes = (values: Record<string, string | number | boolean | string[]>) => of({ attributes: values });
export const orders = (...events: Omit<ExampleEvent, 'name'>[]): ExampleSubject => ({
  events: events.map((event) => ({ name: 'order_placed', ...event })),
});
