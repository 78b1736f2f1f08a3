import { attributes, of, type RuleExample } from './example.ts';

export const groups: RuleExample[] = [
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

export const fields: RuleExample[] = [
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

export const dates: RuleExample[] = [
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
