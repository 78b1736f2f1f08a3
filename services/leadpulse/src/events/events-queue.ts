import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Event } from './event.ts';
import { type EventDocument, eventOf } from './event-document.ts';

const readAtOnce = 500;

/** About how many bytes a row has. Only the members that a sender can make long are measured. */
const sizeOf = ({ properties, page, claims, person }: EventDocument) =>
  fixedSize + JSON.stringify([properties, page, claims, person]).length;
const fixedSize = 700;

/** `identifies`: its person has been published. */
type Counted = { id: string; visitor: VisitorId; contact_id: ContactId | null; identifies: boolean };

/** The events that are not counted yet. */
export function createEventsQueue(events: Collection<EventDocument>) {
  return {
    /** The accounts that have events to count. */
    accountsWithPending: (): Promise<AccountId[]> => events.distinct('account_id', { pending: true }),

    /** The oldest events of an account that are not counted yet, as many as fit into the bytes, at least one. */
    async pendingOf(accountId: AccountId, { limit, maxBytes }: { limit: number; maxBytes: number }): Promise<Event[]> {
      const cursor = events.find({ pending: true, account_id: accountId }).sort({ _id: 1 }).limit(limit).batchSize(readAtOnce);
      const found: Event[] = [];
      let bytes = 0;
      for await (const row of cursor) {
        bytes += sizeOf(row);
        if (found.length > 0 && bytes > maxBytes) break;
        found.push(eventOf(row));
      }
      return found;
    },

    /** Which of these events are still not counted: another process may have counted them. Until then, nothing else about them changes. */
    async stillPending(tx: Transaction, accountId: AccountId, ids: readonly string[]): Promise<Set<string>> {
      const rows = await events
        .find({ pending: true, account_id: accountId, _id: { $in: [...ids] } }, { session: tx.session, projection: { _id: 1 } })
        .hint('queue')
        .batchSize(ids.length + 1)
        .toArray();
      return new Set(rows.map(({ _id }) => _id));
    },

    /** The newest event of an account that is not counted yet. */
    async newestPending(accountId: AccountId): Promise<string | undefined> {
      return (await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: -1 }, projection: { _id: 1 } }))?._id;
    },

    /** The oldest event of an account that is not counted yet. */
    async firstPending(accountId: AccountId): Promise<string | undefined> {
      return (await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: 1 }, projection: { _id: 1 } }))?._id;
    },

    pendingCount: () => events.countDocuments({ pending: true }, { limit: 100_000 }),

    /** When the oldest uncounted event was received. */
    async oldestPending(accountId: AccountId): Promise<Date | undefined> {
      const row = await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: 1 }, projection: { received_at: 1 } });
      return row?.received_at;
    },

    /** The age in seconds of the oldest uncounted event of all accounts; 0 if there is none. */
    async oldestPendingSeconds(now = Date.now()): Promise<number> {
      const oldest = await Promise.all((await this.accountsWithPending()).map((accountId) => this.oldestPending(accountId)));
      return Math.max(0, ...oldest.map((at) => (at ? (now - at.getTime()) / 1_000 : 0)));
    },

    /** Removes counted events, found by `stillPending` in the same transaction, from the queue and stores their visitor and contact. */
    async markCounted(tx: Transaction, counted: readonly Counted[]) {
      const operations = counted.map(({ id, visitor, contact_id, identifies }): AnyBulkWriteOperation<EventDocument> => {
        const $set = { visitor, contact_id, ...(identifies && ({ applying: true } as const)) };
        return {
          updateOne: { filter: { _id: id }, update: { $set, $unset: { pending: '', attempts: '', ...(identifies && { person: '' }) } } },
        };
      });
      await events.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /** Contacts has confirmed the person of an event. */
    async markApplied(tx: Transaction, accountId: AccountId, id: string) {
      await events.updateOne({ _id: id, account_id: accountId }, { $unset: { applying: '' } }, { session: tx.session });
    },

    /** Whether contacts has confirmed the persons of all these events. */
    allApplied: async (accountId: AccountId, ids: readonly string[]): Promise<boolean> =>
      (await events.findOne({ _id: { $in: [...ids] }, account_id: accountId, applying: true }, { projection: { _id: 1 } })) === null,
  };
}
