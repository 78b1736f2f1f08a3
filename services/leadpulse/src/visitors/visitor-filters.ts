import { invalid } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { includeContactAnd } from '@mp/service-kit/include-contacts';
import { listQuery, type Order, parseSort } from '@mp/service-kit/list';
import type { IndexDescription } from 'mongodb';
import { z } from 'zod';
import { AnonymousId, EventName } from '../events/event-body.ts';

const moment = Moment.optional();
const fields = ['last_seen_at', 'first_seen_at'] as const;

export const ListVisitorsQuery = z.strictObject({
  ...listQuery,
  sort: z
    .enum(['-last_seen_at', 'last_seen_at', '-first_seen_at', 'first_seen_at'])
    .default('-last_seen_at')
    .describe('The order; `-` means descending.'),
  include: includeContactAnd('bots', '`bots`: also list visitors that only had events from bots.'),
  visitor_id: AnonymousId.optional().describe('Your anonymous ID; matches at most one visitor.'),
  contact_id: contactId.max(100).optional().describe('List only the visitors of this contact.'),
  identified: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Whether the visitor is identified as a contact.'),
  event: EventName.optional().describe('Visitors with at least one event of this name.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 alpha-2 code such as DE')
    .optional()
    .describe('Visitors whose last event came from this country.'),
  channel: z.string().min(1).max(50).optional().describe('Visitors whose last session has this channel, such as `organic_search`.'),
  source: z.string().min(1).max(200).optional().describe('Visitors whose last session has this source.'),
  'last_seen_at[gt]': moment.describe('Last seen after this time.'),
  'last_seen_at[gte]': moment.describe('Last seen at or after this time.'),
  'last_seen_at[lt]': moment.describe('Last seen before this time.'),
  'last_seen_at[lte]': moment.describe('Last seen at or before this time.'),
  'first_seen_at[gt]': moment.describe('First seen after this time.'),
  'first_seen_at[gte]': moment.describe('First seen at or after this time.'),
  'first_seen_at[lt]': moment.describe('First seen before this time.'),
  'first_seen_at[lte]': moment.describe('First seen at or before this time.'),
});
export type ListVisitorsQuery = z.output<typeof ListVisitorsQuery>;

/**
 * The filters of the list and the index for each. `visitor_id` and `contact_id` match few visitors and combine with
 * everything; `identified`, `event`, `country`, `channel` or `source` (one of them) combines with the sort by `last_seen_at` and its ranges; other ranges need the sort by
 * the same field. Other combinations are rejected, so that no list scans all visitors of an account.
 */
export const visitorIndexes = {
  key: { key: { account_id: 1, key: 1 }, unique: true },
  seen: { key: { account_id: 1, bot: 1, last_seen_at: 1, _id: 1 } },
  first_seen: { key: { account_id: 1, bot: 1, first_seen_at: 1, _id: 1 } },
  identified: { key: { account_id: 1, identified: 1, last_seen_at: 1, _id: 1 } },
  event: { key: { account_id: 1, event_names: 1, last_seen_at: 1, _id: 1 } },
  country: { key: { account_id: 1, country: 1, last_seen_at: 1, _id: 1 }, partialFilterExpression: { country: { $gt: '' } } },
  channel: { key: { account_id: 1, 'last_touch.channel': 1, last_seen_at: 1, _id: 1 } },
  source: { key: { account_id: 1, 'last_touch.source': 1, last_seen_at: 1, _id: 1 } },
  contact: { key: { account_id: 1, contact_id: 1 }, partialFilterExpression: { contact_id: { $gt: '' } } },
  claims: { key: { account_id: 1, claims: 1 }, partialFilterExpression: { claims: { $gt: '' } } },
  attributing_next: { key: { attributing: 1, attributing_at: 1 }, partialFilterExpression: { attributing: true } },
  attributing_since: { key: { account_id: 1, attributing_at: 1 }, partialFilterExpression: { attributing: true } },
} as const satisfies Record<string, IndexDescription>;

/** The MongoDB filter (without the account) and order of a query. Throws VALIDATION_ERROR for a combination without an index. */
export function visitorsFilter(query: ListVisitorsQuery): { where: Record<string, unknown>; order: Order } {
  const order = parseSort(query.sort);
  const few = {
    ...(query.visitor_id === undefined ? {} : { key: `visitor:${query.visitor_id}` }),
    ...(query.contact_id === undefined ? {} : { contact_id: query.contact_id }),
  };
  const grouping = {
    ...(query.identified === undefined ? {} : { identified: query.identified }),
    ...(query.event === undefined ? {} : { event_names: query.event }),
    ...(query.country === undefined ? {} : { country: query.country }),
    ...(query.channel === undefined ? {} : { 'last_touch.channel': query.channel }),
    ...(query.source === undefined ? {} : { 'last_touch.source': query.source }),
  };
  const ranges = Object.fromEntries(fields.flatMap((field) => range(query, field)));
  if (Object.keys(few).length === 0) {
    const foreign = Object.keys(ranges).find((field) => field !== order.field);
    if (foreign) throw noIndex(`filters by ${foreign} but sorts by ${order.field}`);
    if (Object.keys(grouping).length > 1) throw noIndex('combines several of identified, event, country, channel and source');
    if (Object.keys(grouping).length === 1 && order.field !== 'last_seen_at')
      throw noIndex('sorts by first_seen_at together with another filter');
  }
  return { where: { ...few, ...grouping, ...ranges, bot: query.include?.includes('bots') ? { $in: [false, true] } : false }, order };
}

function range(query: ListVisitorsQuery, field: (typeof fields)[number]) {
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) => {
    const value = query[`${field}[${operator}]`];
    return value === undefined ? [] : [[`$${operator}`, new Date(value)] as const];
  });
  return bounds.length === 0 ? [] : [[field, Object.fromEntries(bounds)] as const];
}

const noIndex = (what: string) =>
  invalid(
    '/query',
    'unsupported_combination',
    `This request ${what}, which is not supported; see "Filters" under GET /v2/leadpulse/visitors.`,
  );
