import { contactId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { listQuery, type Order, parseSort } from '@mp/service-kit/list';
import { z } from 'zod';
import { Country, EventName } from './event-body.ts';

const moment = Moment.optional();

export const ListEventsQuery = z.strictObject({
  ...listQuery,
  sort: z
    .enum(['-timestamp', 'timestamp', '-time', 'time'])
    .default('-timestamp')
    .describe('The order; `-` means descending. `time` is the former name of `timestamp`.'),
  event: EventName.optional().describe('List only events with this name.'),
  visitor: z.string().max(100).optional().describe('List only the events of the visitor with this ID, such as `visitor_…`.'),
  contact_id: contactId.max(100).optional().describe('List only the events of this contact, and of contacts that were merged into it.'),
  page: z
    .string()
    .min(1)
    .max(500)
    .startsWith('/', 'expected a path such as /pricing')
    .optional()
    .describe('List only events on the page with this path.'),
  country: Country.optional().describe('List only events from this country.'),
  include: z.literal('bots').optional().describe('`bots`: also list events from bots.'),
  'timestamp[gt]': renamedFrom('time[gt]', moment.describe('After this time.')),
  'timestamp[gte]': renamedFrom('time[gte]', moment.describe('At or after this time.')),
  'timestamp[lt]': renamedFrom('time[lt]', moment.describe('Before this time.')),
  'timestamp[lte]': renamedFrom('time[lte]', moment.describe('At or before this time.')),
});
export type ListEventsQuery = z.output<typeof ListEventsQuery>;

/**
 * The MongoDB filter (without the account) and order. Every combination has an index: by visitor, by contact, by name, or by time.
 * Page and country are compared with each event that is read. `contacts` are those that `contact_id` stands for.
 */
export function eventsFilter(query: ListEventsQuery, contacts: readonly string[]): { where: Record<string, unknown>; order: Order } {
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) => {
    const value = query[`timestamp[${operator}]`];
    return value === undefined ? [] : [[`$${operator}`, new Date(value)] as const];
  });
  const where = {
    ...(query.event === undefined ? {} : { name: query.event }),
    ...(query.contact_id === undefined ? {} : { contact_id: { $in: [...contacts] } }),
    ...(query.page === undefined ? {} : { 'page.path': query.page }),
    ...(query.country === undefined ? {} : { country: query.country }),
    visitor: query.visitor || { $gt: '' },
    ...(bounds.length === 0 ? {} : { time: Object.fromEntries(bounds) }),
    ...(query.include === 'bots' ? {} : { bot: false }),
  };
  return { where, order: parseSort(query.sort.replace('timestamp', 'time')) };
}
