import type { Db } from 'mongodb';
import { prepareCollection } from './mongo.ts';

/** An event that took effect; or, under a separate id, the failure counts of one that has not yet. */
type InboxDocument = { _id: string; at: Date; failures?: number; unavailable?: number };

/** Longer than streams store events. */
const inboxSeconds = 8 * 24 * 60 * 60;

export const inboxOf = (db: Db) => db.collection<InboxDocument>('inbox');
export const prepareInbox = (db: Db) => prepareCollection(inboxOf(db), [{ key: { at: 1 }, expireAfterSeconds: inboxSeconds }], db);
