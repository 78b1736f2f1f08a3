import { Moment } from '@mp/contracts/moment';
import { listQuery, type Order, parseSort } from '@mp/service-kit/list';
import { z } from 'zod';
import { EventName } from './event-body.ts';

const moment = Moment.optional();

export const ListEventsQuery = z.strictObject({
  ...listQuery,
  sort: z.enum(['-time', 'time']).default('-time').describe('The order; `-` means descending.'),
  event: EventName.optional().describe('List only events of this name.'),
  visitor: z.string().max(100).optional().describe('List only the events of the visitor with this ID, such as `visitor_…`.'),
  include: z.literal('bots').optional().describe('`bots`: also list events from bots.'),
  'time[gt]': moment.describe('After this time.'),
  'time[gte]': moment.describe('At or after this time.'),
  'time[lt]': moment.describe('Before this time.'),
  'time[lte]': moment.describe('At or before this time.'),
});
export type ListEventsQuery = z.output<typeof ListEventsQuery>;

/** The MongoDB filter (without the account) and order. Every combination has an index: by visitor, by name, or by time. */
export function eventsFilter(query: ListEventsQuery): { where: Record<string, unknown>; order: Order } {
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) => {
    const value = query[`time[${operator}]`];
    return value === undefined ? [] : [[`$${operator}`, new Date(value)] as const];
  });
  const where = {
    ...(query.event === undefined ? {} : { name: query.event }),
    visitor: query.visitor || { $gt: '' },
    ...(bounds.length === 0 ? {} : { time: Object.fromEntries(bounds) }),
    ...(query.include === 'bots' ? {} : { bot: false }),
  };
  return { where, order: parseSort(query.sort) };
}
