import { type CampaignActivity, campaignActivities } from './activity.ts';
import type { ContactProfile } from './contact-profile.ts';
import { contactFields, type FieldOp, fieldOps, opsOfType } from './fields.ts';
import type { Rule } from './rule.ts';

/** What an example knows about a contact. The times of events are days ago; `campaign` makes an event an activity of it. */
export type ExampleSubject = {
  contact?: ContactProfile;
  events?: readonly ExampleEvent[];
  segments?: readonly string[];
};
export type ExampleEvent = {
  name?: string;
  activity?: CampaignActivity;
  daysAgo: number;
  amount?: number;
  properties?: Record<string, string | number | boolean>;
};

/** A rule with its meaning, a contact that matches and one that does not. */
export type RuleExample = { means: string; rule: Rule; matches: ExampleSubject; fails: ExampleSubject };

/** The time at which the examples are evaluated. */
export const exampleNow = new Date('2026-05-15T12:00:00Z');

const of = (contact: ContactProfile): ExampleSubject => ({ contact });
const attributes = (values: Record<string, string | number | boolean | string[]>) => of({ attributes: values });
const orders = (...events: Omit<ExampleEvent, 'name'>[]): ExampleSubject => ({
  events: events.map((event) => ({ name: 'order_placed', ...event })),
});

const groups: RuleExample[] = [
  {
    means: 'Every part matches.',
    rule: {
      all: [
        { field: 'address.country', op: 'eq', value: 'DE' },
        { field: 'tags', op: 'contains', value: 'vip' },
      ],
    },
    matches: of({ address: { country: 'DE' }, tags: ['vip'] }),
    fails: of({ address: { country: 'DE' } }),
  },
  {
    means: 'At least one part matches.',
    rule: {
      any: [
        { field: 'attributes.plan', op: 'eq', value: 'pro' },
        { field: 'attributes.seats', op: 'gte', value: 10 },
      ],
    },
    matches: attributes({ plan: 'free', seats: 12 }),
    fails: attributes({ plan: 'free', seats: 3 }),
  },
  {
    means: 'The part does not match.',
    rule: { not: { field: 'tags', op: 'contains', value: 'staff' } },
    matches: of({ tags: ['vip'] }),
    fails: of({ tags: ['staff'] }),
  },
];

const fields: RuleExample[] = [
  {
    means: 'Equal to the value. Case and the Unicode form of accents are ignored.',
    rule: { field: 'address.city', op: 'eq', value: 'Berlin' },
    matches: of({ address: { city: 'berlin' } }),
    fails: of({ address: { city: 'Paris' } }),
  },
  {
    means: 'Not equal to the value, or missing.',
    rule: { field: 'locale', op: 'ne', value: 'de-DE' },
    matches: of({ locale: 'fr-FR' }),
    fails: of({ locale: 'de-DE' }),
  },
  {
    means: 'One of up to 500 values. A list matches if it has any of them.',
    rule: { field: 'address.country', op: 'in', value: ['DE', 'AT', 'CH'] },
    matches: of({ address: { country: 'AT' } }),
    fails: of({ address: { country: 'FR' } }),
  },
  {
    means: 'None of the values, or missing.',
    rule: { field: 'status', op: 'not_in', value: ['bounced', 'complained'] },
    matches: of({ status: 'active' }),
    fails: of({ status: 'bounced' }),
  },
  {
    means: 'Contains the text; for a list such as `tags`, has the item.',
    rule: { field: 'job_title', op: 'contains', value: 'engineer' },
    matches: of({ job_title: 'Software Engineer' }),
    fails: of({ job_title: 'Designer' }),
  },
  {
    means: 'Does not contain the text or item, or is missing.',
    rule: { field: 'tags', op: 'not_contains', value: 'vip' },
    matches: of({ tags: ['newsletter'] }),
    fails: of({ tags: ['vip'] }),
  },
  {
    means: 'Starts with the text.',
    rule: { field: 'phone', op: 'starts_with', value: '+49' },
    matches: of({ phone: '+491701234567' }),
    fails: of({ phone: '+33612345678' }),
  },
  {
    means: 'Ends with the text.',
    rule: { field: 'email', op: 'ends_with', value: '@example.com' },
    matches: of({ email: 'ada@example.com' }),
    fails: of({ email: 'ada@example.org' }),
  },
  {
    means: 'Greater than the number, or after the date.',
    rule: { field: 'attributes.seats', op: 'gt', value: 5 },
    matches: attributes({ seats: 6 }),
    fails: attributes({ seats: 5 }),
  },
  {
    means: 'At least the number, or the date or later.',
    rule: { field: 'created_at', op: 'gte', value: '2026-05-01', timezone: 'Europe/Berlin' },
    matches: of({ created_at: '2026-04-30T22:00:00Z' }),
    fails: of({ created_at: '2026-04-30T21:59:59Z' }),
  },
  {
    means: 'Less than the number, or before the date.',
    rule: { field: 'attributes.score', op: 'lt', value: 0.5 },
    matches: attributes({ score: 0.4 }),
    fails: attributes({ score: 0.5 }),
  },
  {
    means: 'At most the number, or not after the date.',
    rule: { field: 'attributes.score', op: 'lte', value: 0.5 },
    matches: attributes({ score: 0.5 }),
    fails: attributes({ score: 0.6 }),
  },
  {
    means: 'Between two numbers or two dates, both included.',
    rule: { field: 'attributes.seats', op: 'between', value: [5, 20] },
    matches: attributes({ seats: 20 }),
    fails: attributes({ seats: 21 }),
  },
  {
    means: 'Has a value. An empty text and an empty list are missing.',
    rule: { field: 'phone', op: 'exists' },
    matches: of({ phone: '+491701234567' }),
    fails: of({}),
  },
  {
    means: 'Has no value.',
    rule: { field: 'attributes.plan', op: 'missing' },
    matches: attributes({}),
    fails: attributes({ plan: 'pro' }),
  },
  {
    means: 'Consent for a topic. It is missing until the contact decides on the topic.',
    rule: { field: 'consent.email.topics.news', op: 'eq', value: 'subscribed' },
    matches: of({ consent: { topics: { news: { email: 'subscribed' } } } }),
    fails: of({ consent: { email: 'subscribed' } }),
  },
];

const dates: RuleExample[] = [
  {
    means: 'Within this time before now, and not in the future.',
    rule: { date: 'created_at', op: 'in_last', value: 'P30D' },
    matches: of({ created_at: '2026-04-20T00:00:00Z' }),
    fails: of({ created_at: '2026-04-01T00:00:00Z' }),
  },
  {
    means: 'The opposite of `in_last`, so a missing date matches.',
    rule: { date: 'last_seen_at', op: 'not_in_last', value: 'P90D' },
    matches: of({ last_seen_at: '2026-01-01T00:00:00Z' }),
    fails: of({ last_seen_at: '2026-05-14T00:00:00Z' }),
  },
  {
    means: 'Within this time from now.',
    rule: { date: 'attributes.renews_on', op: 'in_next', value: 'P14D' },
    matches: attributes({ renews_on: '2026-05-20' }),
    fails: attributes({ renews_on: '2026-06-20' }),
  },
  {
    means: 'Before the day or moment begins. `now` matches dates in the past.',
    rule: { date: 'attributes.trial_ends', op: 'before', value: 'now' },
    matches: attributes({ trial_ends: '2026-05-14' }),
    fails: attributes({ trial_ends: '2026-05-16' }),
  },
  {
    means: 'After the day or moment ends. `now` matches dates in the future.',
    rule: { date: 'created_at', op: 'after', value: '2026-05-01' },
    matches: of({ created_at: '2026-05-02T00:00:00Z' }),
    fails: of({ created_at: '2026-05-01T23:59:59Z' }),
  },
  {
    means: 'On the day, in the time zone.',
    rule: { date: 'created_at', op: 'on', value: '2026-05-01', timezone: 'Europe/Berlin' },
    matches: of({ created_at: '2026-04-30T22:30:00Z' }),
    fails: of({ created_at: '2026-05-01T22:30:00Z' }),
  },
  {
    means: 'The same day of a later year, or up to `within` before it. 29 February counts as the 28th in other years.',
    rule: { date: 'attributes.birthday', op: 'anniversary', within: 'P7D' },
    matches: attributes({ birthday: '1990-05-20' }),
    fails: attributes({ birthday: '1990-06-20' }),
  },
];

const events: RuleExample[] = [
  {
    means: 'The event happened at least once.',
    rule: { event: 'order_placed' },
    matches: orders({ daysAgo: 200 }),
    fails: { events: [{ name: 'signed_in', daysAgo: 1 }] },
  },
  {
    means: 'It happened in the window, which is at most `P400D` long.',
    rule: { event: 'order_placed', in_last: 'P30D' },
    matches: orders({ daysAgo: 29 }),
    fails: orders({ daysAgo: 31 }),
  },
  {
    means: 'Only events that meet every condition of `where` count. A plain value means `eq`.',
    rule: { event: 'order_placed', where: { 'properties.plan': 'pro', 'value.amount': { gte: 10, lt: 100 } } },
    matches: orders({ daysAgo: 1, amount: 50, properties: { plan: 'pro' } }),
    fails: orders({ daysAgo: 1, amount: 50, properties: { plan: 'free' } }),
  },
  {
    means: 'It happened a number of times: `gte`, `lte`, `eq` or a range of them.',
    rule: { event: 'order_placed', count: { gte: 2, lte: 5 }, in_last: 'P90D' },
    matches: orders({ daysAgo: 1 }, { daysAgo: 40 }),
    fails: orders({ daysAgo: 1 }),
  },
  {
    means: 'It did not happen in the window.',
    rule: { event: 'order_placed', count: { eq: 0 }, in_last: 'P60D' },
    matches: orders({ daysAgo: 61 }),
    fails: orders({ daysAgo: 59 }),
  },
  {
    means: 'The sum of a value. Amounts need a currency, because currencies are never added together. Without events it is 0.',
    rule: { event: 'order_placed', sum: { of: 'value.amount', currency: 'EUR', gte: 500 }, in_last: 'P90D' },
    matches: orders({ daysAgo: 1, amount: 300 }, { daysAgo: 50, amount: 200 }),
    fails: orders({ daysAgo: 1, amount: 300 }),
  },
  {
    means: 'The average of a value.',
    rule: { event: 'order_placed', avg: { of: 'properties.items', gt: 3 } },
    matches: orders({ daysAgo: 1, properties: { items: 6 } }, { daysAgo: 2, properties: { items: 2 } }),
    fails: orders({ daysAgo: 1, properties: { items: 3 } }),
  },
  {
    means: 'The lowest value.',
    rule: { event: 'order_placed', min: { of: 'properties.rating', lte: 2 } },
    matches: orders({ daysAgo: 1, properties: { rating: 5 } }, { daysAgo: 9, properties: { rating: 2 } }),
    fails: orders({ daysAgo: 1, properties: { rating: 5 } }),
  },
  {
    means: 'The highest value.',
    rule: { event: 'order_placed', max: { of: 'value.amount', currency: 'EUR', gt: 1_000 } },
    matches: orders({ daysAgo: 9, amount: 1_200 }),
    fails: orders({ daysAgo: 9, amount: 1_000 }),
  },
  {
    means: 'The time of the oldest event, tested like a date.',
    rule: { event: 'order_placed', first: { op: 'in_last', value: 'P30D' } },
    matches: orders({ daysAgo: 5 }, { daysAgo: 20 }),
    fails: orders({ daysAgo: 5 }, { daysAgo: 200 }),
  },
  {
    means: 'The time of the newest event, tested like a date. Without events, only `not_in_last` matches.',
    rule: { event: 'order_placed', last: { op: 'not_in_last', value: 'P60D' } },
    matches: orders({ daysAgo: 100 }),
    fails: orders({ daysAgo: 100 }, { daysAgo: 3 }),
  },
];

const campaign = 'campaign_01kjn2v0a7e8ws3q4m5x6y0001';
const segment = 'segment_01kjn2v0a7e8ws3q4m5x6y0001';

const campaigns: RuleExample[] = [
  {
    means: 'Clicked a link of any campaign in the window. Automated opens and clicks do not count.',
    rule: { campaign: 'any', activity: 'clicked', in_last: 'P30D' },
    matches: { events: [{ activity: 'clicked', daysAgo: 3 }] },
    fails: { events: [{ activity: 'opened', daysAgo: 3 }] },
  },
  {
    means: 'Received three or more emails in a week.',
    rule: { campaign: 'any', activity: 'sent', count: { gte: 3 }, in_last: 'P7D' },
    matches: {
      events: [
        { activity: 'sent', daysAgo: 1 },
        { activity: 'sent', daysAgo: 2 },
        { activity: 'sent', daysAgo: 5 },
      ],
    },
    fails: { events: [{ activity: 'sent', daysAgo: 1 }] },
  },
  {
    means: 'Did not open this campaign.',
    rule: { campaign, activity: 'opened', count: { eq: 0 } },
    matches: {},
    fails: { events: [{ activity: 'opened', daysAgo: 1 }] },
  },
];

const segments: RuleExample[] = [
  {
    means: 'Is in the segment.',
    rule: { segment },
    matches: { segments: [segment] },
    fails: {},
  },
  {
    means: 'Is not in the segment.',
    rule: { segment, op: 'not_in' },
    matches: {},
    fails: { segments: [segment] },
  },
];

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
    title: 'Segments',
    text: 'A condition on another segment. Segments cannot refer to each other in a cycle.',
    condition: 'Segment membership',
    examples: segments,
  },
];
