import { emailKey } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { includeContactAnd } from '@mp/service-kit/include-contacts';
import { listQuery, type Order, parseSort } from '@mp/service-kit/list';
import type { IndexDescription } from 'mongodb';
import { z } from 'zod';
import { AnonymousId, Country, EventName } from '../events/event-body.ts';
import { maxEventNames } from './visitor.ts';

const moment = Moment.optional();

/** Visitors that may have had events of more names than are stored. */
const moreNamesFilter = { [`event_names.${maxEventNames - 1}`]: { $exists: true as const } };

const fields = ['last_seen_at', 'first_seen_at'] as const;

export const ListVisitorsQuery = z.strictObject({
  ...listQuery,
  sort: z
    .enum(['-last_seen_at', 'last_seen_at', '-first_seen_at', 'first_seen_at'])
    .default('-last_seen_at')
    .describe('The order; `-` means descending.'),
  include: includeContactAnd('bots', '`bots`: also list visitors that only had events from bots.'),
  visitor_id: AnonymousId.optional().describe('Your anonymous ID; matches at most one visitor.'),
  contact_id: contactId.max(100).optional().describe('List only the visitors of this contact, and of contacts that were merged into it.'),
  q: z
    .string()
    .trim()
    .min(3)
    .max(255)
    .optional()
    .describe('The beginning of your anonymous ID; or a whole email address, external ID, contact ID or visitor ID.'),
  goal: z
    .string()
    .max(100)
    .optional()
    .describe('Visitors that have reached the goal with this ID at least once. A page of the list may be shorter than `limit`.'),
  identified: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Whether the visitor is identified as a contact.'),
  event: EventName.optional().describe('Visitors with at least one event with this name.'),
  country: Country.optional().describe('Visitors whose last event came from this country.'),
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
 * The filters of the list and the index for each. `visitor_id`, `contact_id` and `q` match few visitors and combine with
 * everything; `identified`, `event`, `country`, `channel` and `source` combine with the sort by `last_seen_at` and its ranges, by the index of one
 * of them and within a time limit; other ranges need the sort by the same field. Other combinations are rejected, so that no list scans
 * all visitors of an account.
 */
export const visitorIndexes = {
  key: { key: { account_id: 1, key: 1 }, unique: true },
  seen: { key: { account_id: 1, bot: 1, last_seen_at: 1, _id: 1 } },
  first_seen: { key: { account_id: 1, bot: 1, first_seen_at: 1, _id: 1 } },
  identified: { key: { account_id: 1, identified: 1, last_seen_at: 1, _id: 1 } },
  event: { key: { account_id: 1, event_names: 1, last_seen_at: 1, _id: 1 } },
  more_events: { key: { account_id: 1, last_seen_at: 1, _id: 1 }, partialFilterExpression: moreNamesFilter },
  country: { key: { account_id: 1, country: 1, last_seen_at: 1, _id: 1 }, partialFilterExpression: { country: { $gt: '' } } },
  channel: { key: { account_id: 1, 'last_touch.channel': 1, last_seen_at: 1, _id: 1 } },
  source: { key: { account_id: 1, 'last_touch.source': 1, last_seen_at: 1, _id: 1 } },
  contact: { key: { account_id: 1, contact_id: 1 }, partialFilterExpression: { contact_id: { $gt: '' } } },
  claims: { key: { account_id: 1, claims: 1 }, partialFilterExpression: { claims: { $gt: '' } } },
  attributing_next: { key: { attributing: 1, attributing_at: 1 }, partialFilterExpression: { attributing: true } },
  attributing_since: { key: { account_id: 1, attributing_at: 1 }, partialFilterExpression: { attributing: true } },
} as const satisfies Record<string, IndexDescription>;

/** What a query names, resolved: the contacts of `contact_id` and of `q`, and the events of `event` and of the goal. */
export type Resolved = { contacts: readonly string[]; found: readonly string[]; names: readonly string[] };

/**
 * The MongoDB filter (without the account) and order of a query. It also selects visitors that may have had an event whose name is
 * not stored. Throws VALIDATION_ERROR for a combination without an index.
 */
export function visitorsFilter(
  query: ListVisitorsQuery,
  { contacts, found, names }: Resolved,
): { where: Record<string, unknown>; order: Order } {
  const order = parseSort(query.sort);
  const few = {
    ...(query.visitor_id === undefined ? {} : { key: `visitor:${query.visitor_id}` }),
    ...(query.contact_id === undefined ? {} : { contact_id: { $in: [...contacts] } }),
    ...(query.q === undefined ? {} : { $or: searchOf(query.q, found) }),
  };
  const grouping = {
    ...(query.identified === undefined ? {} : { identified: query.identified }),
    ...(names.length === 0 ? {} : { $and: names.map((name) => ({ $or: [{ event_names: name }, moreNamesFilter] })) }),
    ...(query.country === undefined ? {} : { country: query.country }),
    ...(query.channel === undefined ? {} : { 'last_touch.channel': query.channel }),
    ...(query.source === undefined ? {} : { 'last_touch.source': query.source }),
  };
  const ranges = Object.fromEntries(fields.flatMap((field) => range(query, field)));
  if (Object.keys(few).length === 0) {
    const foreign = Object.keys(ranges).find((field) => field !== order.field);
    if (foreign) throw noIndex(`filters by ${foreign} but sorts by ${order.field}`);
    if (Object.keys(grouping).length > 0 && order.field !== 'last_seen_at')
      throw noIndex('sorts by first_seen_at together with another filter');
  }
  return { where: { ...few, ...grouping, ...ranges, bot: query.include?.includes('bots') ? { $in: [false, true] } : false }, order };
}

/** Visitors whose own ID begins with the text, or that it identifies. */
const searchOf = (text: string, contacts: readonly string[]) => [
  { key: { $gte: `visitor:${text}`, $lt: `visitor:${text}\u{10ffff}` } },
  { claims: { $in: claimsIn(text) } },
  { contact_id: { $in: [...contacts] } },
  { _id: text },
];

/** What the text claims, as an event would. */
export const claimsIn = (text: string) => [`email:${emailKey(text)}`, `external:${text}`, `contact:${text}`];

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
