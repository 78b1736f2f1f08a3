import type { Definition } from './segments.ts';

/** A segment to start from. */
export type SegmentStarter = { id: string; name: string; describes: string; definition: Definition };

export const segmentStarters: readonly SegmentStarter[] = [
  {
    id: 'new',
    name: 'New this week',
    describes: 'Contacts that were created in the past seven days.',
    definition: { date: 'created_at', op: 'in_last', value: 'P7D' },
  },
  {
    id: 'engaged',
    name: 'Engaged readers',
    describes: 'Clicked an email in the past 90 days.',
    definition: { campaign: 'any', activity: 'clicked', in_last: 'P90D' },
  },
  {
    id: 'sleeping',
    name: 'Sleeping readers',
    describes: 'No click for half a year.',
    definition: {
      all: [
        { date: 'created_at', op: 'not_in_last', value: 'P180D' },
        { campaign: 'any', activity: 'clicked', count: { eq: 0 }, in_last: 'P180D' },
      ],
    },
  },
  {
    id: 'first-order',
    name: 'First-time customers',
    describes: 'Ordered exactly once.',
    definition: { event: 'order_placed', count: { eq: 1 } },
  },
  {
    id: 'regulars',
    name: 'Regular customers',
    describes: 'Ordered at least three times in a year.',
    definition: { event: 'order_placed', count: { gte: 3 }, in_last: 'P365D' },
  },
  {
    id: 'lapsed',
    name: 'Lapsed customers',
    describes: 'Ordered before, but not in the past 60 days.',
    definition: { event: 'order_placed', last: { op: 'not_in_last', value: 'P60D' } },
  },
  {
    id: 'cart',
    name: 'Full carts',
    describes: 'Added to the cart in the past three days without an order.',
    definition: {
      all: [
        { event: 'added_to_cart', count: { gte: 1 }, in_last: 'P3D' },
        { event: 'order_placed', count: { eq: 0 }, in_last: 'P3D' },
      ],
    },
  },
  {
    id: 'birthday',
    name: 'Birthday this week',
    describes: 'Their attribute “birthday” is within seven days.',
    definition: { date: 'attributes.birthday', op: 'anniversary', within: 'P7D' },
  },
];
