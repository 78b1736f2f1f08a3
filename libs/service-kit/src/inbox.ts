import type { Collection, Db } from 'mongodb';
import { prepareCollection } from './mongo.ts';

/** An event that took effect; or, under a separate id, the failure counts of one that has not yet. */
type InboxDocument = { _id: string; at: Date; failures?: number; unavailable?: number };

/** Longer than streams store events. */
const inboxSeconds = 8 * 24 * 60 * 60;

export const inboxOf = (db: Db) => db.collection<InboxDocument>('inbox');
export const prepareInbox = (db: Db) => prepareCollection(inboxOf(db), [{ key: { at: 1 }, expireAfterSeconds: inboxSeconds }], db);

/** Counts the failures of a consumer's events. NATS counts deliveries, which include those to processes that crashed or stopped. */
export function createEventFailures(inbox: Collection<InboxDocument>, consumer: string) {
  const idOf = (eventId: string) => `failures of ${consumer} ${eventId}`;
  return {
    /** Counts a failure of the reaction itself or of a service that it needs, and returns the number of this kind. */
    async count(eventId: string, kind: 'failures' | 'unavailable'): Promise<number> {
      const change = { $inc: { [kind]: 1 }, $set: { at: new Date() } };
      const counted = await inbox.findOneAndUpdate({ _id: idOf(eventId) }, change, { upsert: true, returnDocument: 'after' });
      return counted?.[kind] ?? 1;
    },

    /** The number of failures of both kinds. */
    async of(eventId: string): Promise<number> {
      const counted = await inbox.findOne({ _id: idOf(eventId) });
      return (counted?.failures ?? 0) + (counted?.unavailable ?? 0);
    },

    async forget(eventId: string) {
      await inbox.deleteOne({ _id: idOf(eventId) });
    },
  };
}
