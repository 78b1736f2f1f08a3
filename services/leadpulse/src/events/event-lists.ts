import type { AccountId, VisitorId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import type { Collection } from 'mongodb';
import type { Event } from './event.ts';
import { type EventDocument, eventOf } from './event-document.ts';
import { eventsFilter, type ListEventsQuery } from './event-filters.ts';

/** What a stream reads: the events received in a span of IDs that match its filter. */
export type ReceivedQuery = { from: string; to: string; where: Record<string, unknown>; limit: number; maxMore: number };

/** A filter without its own index compares the events that the others select. */
const maxListMs = 5_000;

/** The counted events as users see them: listed, of some visitors, and as they are received. */
export function createEventLists(events: Collection<EventDocument>) {
  return {
    /** The counted events with IDs from `from` to before `to`: the latest `limit`, oldest first, and how many others there are, up to `maxMore`. */
    async received(accountId: AccountId, { from, to, where, limit, maxMore }: ReceivedQuery) {
      const filter = { ...where, account_id: accountId, _id: { $gte: from, $lt: to }, visitor: where.visitor ?? { $gt: '' } };
      const rows = await events.find(filter).sort({ _id: -1 }).limit(limit).hint('received').toArray();
      const all = rows.length < limit ? rows.length : await events.countDocuments(filter, { limit: limit + maxMore, hint: 'received' });
      return { events: rows.toReversed().map((row) => ({ event: eventOf(row), visitor: row.visitor ?? '' })), more: all - rows.length };
    },

    /** The counted events of an account, by time. */
    async list(accountId: AccountId, cursors: Cursors, query: ListEventsQuery, contacts: readonly string[]) {
      const { limit, cursor, ...filters } = query;
      const { where, order } = eventsFilter(query, contacts);
      const { items, pagination } = await findPage({
        collection: events,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['events', accountId, filters],
        maxMs: maxListMs,
      });
      return { items: items.map((row) => ({ event: eventOf(row), visitor: row.visitor ?? '' })), pagination };
    },

    /** The counted events of these visitors with this name. */
    async *ofVisitors(
      accountId: AccountId,
      visitors: readonly VisitorId[],
      name: string,
    ): AsyncGenerator<{ event: Event; visitor: string }> {
      for await (const row of events.find({ account_id: accountId, visitor: { $in: [...visitors] }, name }))
        yield { event: eventOf(row), visitor: row.visitor ?? '' };
    },

    /** Which of these visitors have a counted event with this name. */
    async visitorsWith(accountId: AccountId, visitors: readonly VisitorId[], name: string): Promise<Set<string>> {
      const found: (VisitorId | null)[] = await events.distinct(
        'visitor',
        { account_id: accountId, visitor: { $in: [...visitors] }, name },
        { hint: 'visitor', maxTimeMS: maxListMs },
      );
      return new Set(found.filter((id) => id !== null));
    },

    /** All counted events of a visitor, oldest first. */
    async *ofVisitor(accountId: AccountId, visitor: VisitorId): AsyncGenerator<Event> {
      for await (const row of events.find({ account_id: accountId, visitor }).sort({ time: 1, _id: 1 })) yield eventOf(row);
    },

    async latestOf(accountId: AccountId, visitor: VisitorId, limit: number) {
      const rows = await events.find({ account_id: accountId, visitor }).sort({ time: -1, _id: -1 }).limit(limit).toArray();
      return rows.map(eventOf);
    },
  };
}
