import { type CampaignActivity, campaignActivityName, type FormActivity, formActivityName } from './activity.ts';
import { dateLeafDependsOnTime } from './date-leaf.ts';
import { fullFieldName } from './fields.ts';
import type { Leaf, Rule } from './rule.ts';
import { sequenceDependsOnTime, sequenceEvents } from './sequence-leaf.ts';

/** What the result of a rule depends on. */
export type Dependencies = {
  /** Full names: `tags`, `address.city`, `attributes.plan`. */
  fields: string[];
  /** Names of tracked events. */
  events: string[];
  /** `campaign` is an id or `any`. */
  campaigns: { campaign: string; activity: CampaignActivity }[];
  /** `form` is an id or `any`. */
  forms: { form: string; activity: FormActivity }[];
  segments: string[];
  /** Whether time alone can change the result. */
  time: boolean;
};

/** A change of a contact. `fields` may be full names or whole branches (`address`, `attributes`). */
export type Change = {
  fields?: readonly string[];
  event?: string;
  segment?: string;
  campaignActivity?: CampaignActivity;
  /** Restricts `campaignActivity` to one campaign. */
  campaign?: string;
  formActivity?: FormActivity;
  /** Restricts `formActivity` to one form. */
  form?: string;
};

export function dependenciesOf(rule: Rule): Dependencies {
  const leaves = leavesOf(rule);
  const campaigns = leaves.flatMap((leaf) => ('campaign' in leaf ? [{ campaign: leaf.campaign, activity: leaf.activity }] : []));
  const forms = leaves.flatMap((leaf) => ('form' in leaf ? [{ form: leaf.form, activity: leaf.activity }] : []));
  return {
    fields: distinct(leaves.flatMap((leaf) => ('field' in leaf ? [fullFieldName(leaf.field)] : 'date' in leaf ? [leaf.date] : []))),
    events: distinct(leaves.flatMap((leaf) => ('event' in leaf ? [leaf.event] : 'sequence' in leaf ? sequenceEvents(leaf) : []))),
    campaigns: [...new Map(campaigns.map((condition) => [`${condition.activity} ${condition.campaign}`, condition])).values()],
    forms: [...new Map(forms.map((condition) => [`${condition.activity} ${condition.form}`, condition])).values()],
    segments: distinct(leaves.flatMap((leaf) => ('segment' in leaf ? [leaf.segment] : []))),
    time: leaves.some(dependsOnTime),
  };
}

/** The names of the activities that a rule reads, to load before evaluating it. */
export const activityNames = ({ events, campaigns, forms }: Dependencies): string[] =>
  distinct([
    ...events,
    ...campaigns.map(({ activity }) => campaignActivityName(activity)),
    ...forms.map(({ activity }) => formActivityName(activity)),
  ]);

/** Whether a change can affect the result of a rule with these dependencies. */
export function touches(dependencies: Dependencies, change: Change): boolean {
  const { fields = [], event, segment, campaignActivity, campaign, formActivity, form } = change;
  return (
    dependencies.fields.some((field) => fields.some((changed) => sameBranch(field, changed))) ||
    (event !== undefined && dependencies.events.includes(event)) ||
    (segment !== undefined && dependencies.segments.includes(segment)) ||
    dependencies.campaigns.some(
      (condition) =>
        condition.activity === campaignActivity &&
        (campaign === undefined || condition.campaign === 'any' || condition.campaign === campaign),
    ) ||
    dependencies.forms.some(
      (condition) => condition.activity === formActivity && (form === undefined || condition.form === 'any' || condition.form === form),
    )
  );
}

function leavesOf(rule: Rule): Leaf[] {
  if ('all' in rule) return rule.all.flatMap(leavesOf);
  if ('any' in rule) return rule.any.flatMap(leavesOf);
  return 'not' in rule ? leavesOf(rule.not) : [rule];
}

function dependsOnTime(leaf: Leaf): boolean {
  if ('date' in leaf) return dateLeafDependsOnTime(leaf);
  if ('sequence' in leaf) return sequenceDependsOnTime(leaf);
  if ('event' in leaf && [leaf.first, leaf.last].some((test) => test !== undefined && dateLeafDependsOnTime(test))) return true;
  return 'in_last' in leaf && leaf.in_last !== undefined;
}

const sameBranch = (a: string, b: string) => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

const distinct = (names: string[]): string[] => [...new Set(names)];
