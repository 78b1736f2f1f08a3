import { orders, type RuleExample } from './example.ts';

export const events: RuleExample[] = [
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
const form = 'form_01kjn2v0a7e8ws3q4m5x6y0001';
const segment = 'segment_01kjn2v0a7e8ws3q4m5x6y0001';

export const campaigns: RuleExample[] = [
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

export const forms: RuleExample[] = [
  {
    means: 'Submitted any form in the window.',
    rule: { form: 'any', activity: 'submitted', in_last: 'P30D' },
    matches: { events: [{ formActivity: 'submitted', daysAgo: 3 }] },
    fails: { events: [{ formActivity: 'submitted', daysAgo: 40 }] },
  },
  {
    means: 'Confirmed a submission of this form.',
    rule: { form, activity: 'confirmed' },
    matches: { events: [{ formActivity: 'confirmed', daysAgo: 3 }] },
    fails: { events: [{ formActivity: 'submitted', daysAgo: 3 }] },
  },
];

export const segments: RuleExample[] = [
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
