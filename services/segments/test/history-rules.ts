import type { Rule } from '@mp/rules/rule';

const berlin = { field: 'city', op: 'eq', value: 'Berlin' } as const;
const ordered = { event: 'order_placed', count: { gte: 2 }, in_last: 'P1D' };

/** Every kind of condition, except on another segment. */
export const plainRules: readonly Rule[] = [
  berlin,
  { all: [{ field: 'tags', op: 'contains', value: 'vip' }, { not: berlin }] },
  { field: 'attributes.plan', op: 'missing' },
  { date: 'created_at', op: 'in_last', value: 'P1D' },
  { any: [ordered, { field: 'attributes.plan', op: 'eq', value: 'pro' }] },
  { event: 'order_placed', where: { 'properties.total': { gte: 10 } }, count: { gte: 1, lte: 2 } },
  {
    all: [
      { event: 'signed_in', count: { eq: 0 }, in_last: 'P2D' },
      { field: 'email', op: 'exists' },
    ],
  },
  { campaign: 'any', activity: 'clicked', in_last: 'P2D' },
  { all: [{ date: 'created_at', op: 'not_in_last', value: 'PT36H' }, berlin] },
  { event: 'order_placed', sum: { of: 'value.amount', currency: 'EUR', gte: 15 }, in_last: 'P1D' },
  { event: 'order_placed', avg: { of: 'properties.total', gt: 5, lt: 15 }, in_last: 'P2D' },
  { all: [{ event: 'order_placed', last: { op: 'not_in_last', value: 'P1D' } }, berlin] },
  { event: 'signed_in', first: { op: 'in_last', value: 'PT36H' }, in_last: 'P2D' },
  {
    sequence: [{ event: 'signed_in' }, { event: 'order_placed', where: { 'properties.total': { gte: 5 } } }],
    within: 'P1D',
    in_last: 'P2D',
  },
  { all: [{ sequence: [{ event: 'order_placed' }, { not_event: 'signed_in' }], within: 'PT12H', in_last: 'PT40H' }, berlin] },
  { field: 'consent.email.topics.news', op: 'eq', value: 'subscribed' },
  { event: 'order_placed', min: { of: 'properties.total', lt: 8 }, in_last: 'P1D' },
  { event: 'order_placed', max: { of: 'value.amount', currency: 'EUR', gte: 9 }, in_last: 'P2D' },
  {
    event: 'order_placed',
    where: { 'value.amount': { gte: 3 }, 'value.currency': 'EUR', 'context.page.path': { starts_with: '/shop' } },
    in_last: 'P2D',
  },
  {
    event: 'signed_in',
    where: { 'context.country': 'DE', 'context.device': { ne: 'desktop' }, 'context.campaign.source': { exists: true } },
    in_last: 'P1D',
  },
  { campaign: 'campaign_1', activity: 'opened', count: { gte: 2 }, in_last: 'P2D' },
  { all: [{ campaign: 'campaign_1', activity: 'delivered', in_last: 'P1D' }, { not: { campaign: 'any', activity: 'complained' } }] },
  { form: 'form_1', activity: 'confirmed', in_last: 'P2D' },
  { any: [{ form: 'any', activity: 'submitted', count: { gte: 2 }, in_last: 'P1D' }, { not: { form: 'form_1', activity: 'submitted' } }] },
];

const rulesNaming = (segment: string): Rule[] => [
  { segment },
  { all: [{ segment, op: 'not_in' }, ordered] },
  { any: [{ not: { segment } }, { field: 'tags', op: 'contains', value: 'new' }] },
];

/** The rule of a segment in a history; the last numbers use another segment, if there is one. */
export function ruleOf(number: number, other: string | undefined): Rule {
  const plain = plainRules[number % plainRules.length] ?? berlin;
  return other === undefined || number < plainRules.length ? plain : (rulesNaming(other)[number % 3] ?? plain);
}
