import { campaignActivities, formActivities } from './activity.ts';
import { campaigns, events, forms, segments } from './examples/behavior-rules.ts';
import { dates, fields, groups } from './examples/contact-rules.ts';
import type { RuleExample } from './examples/example.ts';
import { contactFields, type FieldOp, fieldOps, opsOfType } from './fields.ts';

const typeNames: Readonly<Record<keyof typeof opsOfType, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  date: 'date',
  string_list: 'list of text',
  any: 'attribute',
};

const opsTable = [
  ['type', 'operators'],
  ...Object.entries(typeNames).map(([type, name]) => [
    name,
    fieldOps
      .filter((op: FieldOp) => opsOfType[type as keyof typeof opsOfType].includes(op))
      .map((op) => `\`${op}\``)
      .join(' '),
  ]),
];

const fieldsTable = [
  ['type', 'fields'],
  ...Object.entries(typeNames).flatMap(([type, name]) => {
    const names = Object.keys(contactFields).filter((field) => contactFields[field] === type);
    const extra =
      type === 'any'
        ? ['attributes.<key>']
        : type === 'string'
          ? ['consent.email.topics.<topic>', 'consent.sms.topics.<topic>', 'country', 'city']
          : [];
    const all = [...names, ...extra];
    return all.length === 0 ? [] : [[name, all.map((field) => `\`${field}\``).join(' ')]];
  }),
];

export type RuleSection = {
  title: string;
  text: string;
  tables?: string[][][];
  /** The title of the schema, if the section has only one. */
  condition?: string;
  examples: readonly RuleExample[];
};

/** The rule language, one section per kind of condition, with an example of everything. */
export const ruleSections: readonly RuleSection[] = [
  { title: 'Groups', text: 'Groups contain conditions and other groups.', examples: groups },
  {
    title: 'Fields',
    text: 'A condition on a field of the contact. Its type decides which operators apply; for an attribute, the type of the value does. For a missing field, only `ne`, `not_in`, `not_contains` and `missing` match. A date without a time is the whole day in `timezone`, which is UTC by default. `country` and `city` are short for `address.country` and `address.city`.',
    tables: [fieldsTable, opsTable],
    examples: fields,
  },
  {
    title: 'Dates',
    text: 'A condition on a date that time alone can change. Windows are ISO 8601 durations of weeks, days, hours, minutes and seconds, such as `P30D` or `PT1H`; `P1D` is 24 hours. Segments update when the result changes, even if the contact does not.',
    examples: dates,
  },
  {
    title: 'Events',
    text: 'A condition on the tracked events of the contact. `in_last` sets the window, `where` selects events, and one of `count`, `sum`, `avg`, `min`, `max`, `first` and `last` tests them; without it, one event is enough. Events without the aggregated number are ignored.',
    condition: 'Tracked event',
    examples: events,
  },
  {
    title: 'Campaign activity',
    text: `A condition on what happened to the emails of one campaign, or of any: ${campaignActivities.map((name) => `\`${name}\``).join(', ')}. It takes \`count\` and \`in_last\` as events do.`,
    condition: 'Campaign activity',
    examples: campaigns,
  },
  {
    title: 'Form activity',
    text: `A condition on what the contact did with one form, or with any: ${formActivities.map((name) => `\`${name}\``).join(', ')}. It takes \`count\` and \`in_last\` as events do.`,
    condition: 'Form activity',
    examples: forms,
  },
  {
    title: 'Segments',
    text: 'A condition on another segment. Segments cannot refer to each other in a cycle.',
    condition: 'Segment membership',
    examples: segments,
  },
];
