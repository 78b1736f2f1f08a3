import { contactId } from '@mp/contracts/ids';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { z } from 'zod';

export const timelineKinds = ['event', 'message', 'consent', 'form', 'membership', 'run', 'merge'] as const;
export const TimelineKind = z.enum(timelineKinds);
export type TimelineKind = z.infer<typeof TimelineKind>;

/** Something that happened to a contact, as published by the service where it happened. */
export const TimelineEntry = z
  .object({
    id: z.string(),
    contact_id: contactId.describe('The contact at that time: this one, or one that was later merged into it.'),
    at: z.iso.datetime(),
    kind: TimelineKind,
    type: z.string().describe('The event type, such as `campaigns.message.clicked`.'),
    facts: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TimelineEntry' });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

type TimelineDocument = Omit<TimelineEntry, 'id' | 'at'> & { _id: string; account_id: AccountId; at: Date };

export type NewTimelineEntry = Omit<TimelineEntry, 'id' | 'at'> & { at: Date; id?: string };
/** An entry from an event; its id is the same whenever the event is delivered. */
export type GivenTimelineEntry = NewTimelineEntry & { id: string; account_id: AccountId };
export type TimelineStore = ReturnType<typeof createTimelineStore>;

/** As long as any service keeps a contact's activities. */
const keepSeconds = 400 * 24 * 60 * 60;

/** Owns the `timeline` collection, a projection of events. */
export function createTimelineStore(db: Db, cursors: Cursors) {
  const timeline = db.collection<TimelineDocument>('timeline');

  return {
    prepare: () =>
      prepareCollection(
        timeline,
        [
          { name: 'contact', key: { account_id: 1, contact_id: 1, at: 1, _id: 1 } },
          { name: 'kind', key: { account_id: 1, contact_id: 1, kind: 1, at: 1, _id: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    async add(tx: Transaction, accountId: AccountId, entries: readonly NewTimelineEntry[]) {
      if (entries.length === 0) return;
      const rows = entries.map(({ id = newId('event'), ...entry }) => ({ _id: id, account_id: accountId, ...entry }));
      await timeline.insertMany(rows, { session: tx.session });
    },

    /** Adds entries of any accounts with given ids; leaves those that exist as they are. */
    async put(tx: Transaction, entries: readonly GivenTimelineEntry[]) {
      if (entries.length === 0) return;
      await timeline.bulkWrite(
        entries.map(({ id, account_id, ...entry }) => ({
          updateOne: { filter: { _id: id, account_id }, update: { $setOnInsert: entry }, upsert: true },
        })),
        { session: tx.session },
      );
    },

    /** Changes one fact of an entry. False when there is no such entry. */
    async setFact(
      tx: Transaction,
      accountId: AccountId,
      { id, name, value }: { id: string; name: string; value: unknown },
    ): Promise<boolean> {
      const { matchedCount } = await timeline.updateOne(
        { _id: id, account_id: accountId },
        { $set: { [`facts.${name}`]: value } },
        { session: tx.session },
      );
      return matchedCount === 1;
    },

    /** Newest first, for all ids of one contact. */
    async page(
      accountId: AccountId,
      contactIds: readonly ContactId[],
      { limit, cursor, kind }: { limit: number; cursor?: string | undefined; kind?: TimelineKind | undefined },
    ) {
      const { items, pagination } = await findPage({
        collection: timeline,
        filter: { account_id: accountId, contact_id: { $in: [...contactIds] }, ...(kind && { kind }) },
        order: { field: 'at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['timeline', accountId, contactIds, kind],
        hint: kind ? 'kind' : 'contact',
      });
      return { items: items.map(({ _id, account_id, at, ...entry }) => ({ id: _id, at: at.toISOString(), ...entry })), pagination };
    },

    /** Returns how many entries were removed. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[]) {
      return (await timeline.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } })).deletedCount;
    },
  };
}
