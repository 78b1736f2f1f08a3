import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import type { Collection } from 'mongodb';
import { quarterMs } from '../time/quarters.ts';
import type { Event } from './event.ts';
import { countedVisitor, type EventDocument } from './event-document.ts';

/**
 * What a report reads: a range, all events or only those of some names, whether bots count, and only people after this one.
 * Titles and URLs, which are long, are read only for the dimensions `title` and `host`.
 */
export type ReportQuery = {
  from: Date;
  to: Date;
  names?: readonly string[] | undefined;
  bots: boolean;
  after?: string | undefined;
  dimensions?: readonly string[];
};

/** A counted event as reports see it. */
export type ReportEvent = Pick<
  Event,
  'name' | 'time' | 'message_id' | 'bot' | 'utm' | 'country' | 'device' | 'browser' | 'os' | 'value' | 'properties'
> & {
  /** The ID of the contact, or of the survivor if it was merged, or of the visitor without a contact. */
  person: string;
  visitor: VisitorId;
  /** The path of the page; missing if the event has no page. */
  path?: string | null;
  title?: string | null;
  /** The beginning of the URL, with its host. */
  url?: string | null;
};

const reportBatch = 2_000;

/** The host of a URL ends before this position, unless it follows a very long password. */
const maxHostEnd = 300;

const counted = (accountId: AccountId, { from, to, names, bots }: ReportQuery) => ({
  account_id: accountId,
  ...(names ? { name: { $in: [...names] } } : {}),
  time: { $gte: from, $lt: to },
  visitor: countedVisitor,
  ...(bots ? {} : { bot: false }),
});

/** The counted events as reports and analytics read them. */
export function createReportEvents(events: Collection<EventDocument>) {
  /** MongoDB sorts on disk if necessary, so memory does not grow with the number of events. */
  async function* sortedBy(person: unknown, accountId: AccountId, query: ReportQuery): AsyncGenerator<ReportEvent> {
    const found = events.aggregate<ReportEvent & { pairs: EventDocument['properties'] }>(
      [
        { $match: counted(accountId, query) },
        {
          $project: {
            ...{ _id: 0, person, visitor: 1, bot: 1, name: 1, time: 1, message_id: 1, path: '$page.path', utm: 1 },
            ...(query.dimensions?.includes('title') ? { title: '$page.title' } : {}),
            ...(query.dimensions?.includes('host') ? { url: { $substrCP: ['$page.url', 0, maxHostEnd] } } : {}),
            ...{ country: 1, device: 1, browser: 1, os: 1, value: 1, pairs: '$properties' },
          },
        },
        ...(query.after === undefined ? [] : [{ $match: { person: { $gt: query.after } } }]),
        { $sort: { person: 1, time: 1, message_id: 1 } },
      ],
      { allowDiskUse: true, batchSize: reportBatch },
    );
    for await (const { pairs, ...event } of found) yield { ...event, properties: Object.fromEntries(pairs.map(({ k, v }) => [k, v])) };
  }

  return {
    /** How many events a report reads, up to `limit`. */
    matching: (accountId: AccountId, query: ReportQuery, limit: number) => events.countDocuments(counted(accountId, query), { limit }),

    /**
     * The counted events of a report, sorted by person, time and message ID. A person is a contact with all its visitors and
     * those of the contacts that were merged into it, or a visitor without a contact.
     */
    byPerson: (accountId: AccountId, query: ReportQuery, survivors: ReadonlyMap<ContactId, ContactId>) =>
      sortedBy({ $ifNull: [survivorIn(survivors), '$visitor'] }, accountId, query),

    /** The same events, with their visitor as the person. */
    byVisitor: (accountId: AccountId, query: ReportQuery) => sortedBy('$visitor', accountId, query),

    /**
     * Who had which of these events, or events on which of these pages, in which quarter of an hour; each once. Undefined if there
     * are more than `limit` events.
     */
    async presences(
      accountId: AccountId,
      {
        by,
        values,
        limit,
        ...range
      }: { from: Date; to: Date; bots: boolean; by: 'page' | 'event'; values: readonly string[]; limit: number },
    ): Promise<{ value: string; visitor: VisitorId; quarter: number }[] | undefined> {
      const own = {
        ...counted(accountId, range),
        ...(by === 'page' ? { 'page.path': { $in: [...values] } } : { name: { $in: [...values] } }),
      };
      if ((await events.countDocuments(by === 'page' ? counted(accountId, range) : own, { limit: limit + 1 })) > limit) return undefined;
      const quarter = { $floor: { $divide: [{ $toLong: '$time' }, quarterMs] } };
      const rows = await events
        .aggregate<{ _id: { value: string; visitor: VisitorId; quarter: number } }>([
          { $match: own },
          { $group: { _id: { value: by === 'page' ? '$page.path' : '$name', visitor: '$visitor', quarter } } },
        ])
        .toArray();
      return rows.map(({ _id }) => _id);
    },
  };
}

/** An expression for the contact of an event, or its survivor. MongoDB finds a value in a constant array by its hash. */
const survivorIn = (survivors: ReadonlyMap<ContactId, ContactId>) => ({
  $let: {
    vars: { at: { $indexOfArray: [[...survivors.keys()], '$contact_id'] } },
    in: { $cond: [{ $lt: ['$$at', 0] }, '$contact_id', { $arrayElemAt: [[...survivors.values()], '$$at'] }] },
  },
});
