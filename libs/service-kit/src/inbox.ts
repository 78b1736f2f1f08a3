import type { Collection, Db } from 'mongodb';
import { prepareCollection } from './mongo.ts';

/** An event that took effect; or, under an id of its own, how often an event failed that has not yet. */
type InboxDocument = { _id: string; at: Date; failures?: number; unavailable?: number };

/** Longer than the streams keep events. */
const inboxSeconds = 8 * 24 * 60 * 60;

export const inboxOf = (db: Db) => db.collection<InboxDocument>('inbox');
export const prepareInbox = (db: Db) => prepareCollection(inboxOf(db), [{ key: { at: 1 }, expireAfterSeconds: inboxSeconds }], db);

/** How often a consumer's events failed. Deliveries do not say: a process that dies or stops uses them up too. */
export function createEventFailures(inbox: Collection<InboxDocument>, consumer: string) {
  const idOf = (eventId: string) => `failures of ${consumer} ${eventId}`;
  return {
    /** Counts one more, of the reaction itself or of a service that it needs, and returns how many of its kind there are. */
    async count(eventId: string, kind: 'failures' | 'unavailable'): Promise<number> {
      const change = { $inc: { [kind]: 1 }, $set: { at: new Date() } };
      const counted = await inbox.findOneAndUpdate({ _id: idOf(eventId) }, change, { upsert: true, returnDocument: 'after' });
      return counted?.[kind] ?? 1;
    },

    /** Of both kinds. */
    async of(eventId: string): Promise<number> {
      const counted = await inbox.findOne({ _id: idOf(eventId) });
      return (counted?.failures ?? 0) + (counted?.unavailable ?? 0);
    },

    async forget(eventId: string) {
      await inbox.deleteOne({ _id: idOf(eventId) });
    },
  };
}
