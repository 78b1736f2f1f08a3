import type { AccountId, ContactId } from '@mp/ids';
import { type Activity, campaignPrefix, formPrefix } from '@mp/rules/activity';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { activityRetentionMs, keptProperties, maxRead, type NewActivity, type Reach, type Reclassification } from './activity.ts';

type ActivityDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  name: string;
  time: Date;
  properties: [string, string | number | boolean | null][];
  /** Absent for an activity without a value. */
  value?: { amount: number; currency: string };
  machine: boolean;
  /** When `machine` was last corrected. */
  judged_at?: Date;
};

/** By contact and name, newest first. */
export type ActivitiesByContact = Map<ContactId, Map<string, Activity[]>>;

export type ActivitiesStore = ReturnType<typeof createActivitiesStore>;

const dayMs = 24 * 60 * 60 * 1_000;

/** A day longer than activities count, so that none that counts is removed. */
const expireSeconds = (activityRetentionMs + dayMs) / 1_000;

/** The maximum number of activities read at once for several contacts; with more, each contact is read on its own. */
const maxAtOnce = 20_000;

/** Owns the `activities` collection. Every query names the account. */
export function createActivitiesStore(db: Db) {
  const activities = db.collection<ActivityDocument>('activities');
  const idOf = (accountId: AccountId, id: string) => `${accountId} ${id}`;

  /** The activities of one contact, which may have had several IDs. */
  async function readOne(
    accountId: AccountId,
    {
      contactIds,
      reach,
      now,
      tx,
    }: { contactIds: readonly ContactId[]; reach: ReadonlyMap<string, Reach>; now: Date; tx?: Transaction | undefined },
  ): Promise<Map<string, Activity[]>> {
    const byName = new Map<string, Activity[]>();
    for (const [name, { windowMs, limit }] of reach) {
      const rows = await activities
        .find(
          {
            account_id: accountId,
            contact_id: { $in: [...contactIds] },
            name,
            machine: false,
            time: { $gt: new Date(now.getTime() - windowMs) },
          },
          tx && { session: tx.session },
        )
        .sort({ time: -1 })
        .limit(limit)
        .toArray();
      byName.set(name, rows.map(activityOf));
    }
    return byName;
  }

  return {
    prepare: () =>
      prepareCollection(
        activities,
        [
          { key: { account_id: 1, contact_id: 1, name: 1, machine: 1, time: -1 } },
          { name: 'expiry', key: { time: 1 }, expireAfterSeconds: expireSeconds },
        ],
        db,
      ),

    /**
     * Inserts those that do not exist yet, and returns them. The caller has touched the profiles of their contacts, so the same ones
     * cannot be inserted concurrently.
     */
    async insert<Done extends { contactId: ContactId; activity: NewActivity }>(
      tx: Transaction,
      accountId: AccountId,
      done: readonly Done[],
    ): Promise<Done[]> {
      if (done.length === 0) return [];
      const ids = done.map(({ activity }) => idOf(accountId, activity.id));
      const known = await activities.find({ _id: { $in: ids } }, { session: tx.session, projection: { _id: 1 } }).toArray();
      const seen = new Set(known.map(({ _id }) => _id));
      const fresh = done.filter(({ activity }) => !seen.has(idOf(accountId, activity.id)));
      if (fresh.length === 0) return [];
      await activities.insertMany(
        fresh.map(({ contactId, activity: { id, name, time, properties, value, machine } }) => ({
          ...{ _id: idOf(accountId, id), account_id: accountId, contact_id: contactId, name, time },
          properties: keptProperties(properties),
          ...(value && { value }),
          machine,
        })),
        { session: tx.session },
      );
      return fresh;
    },

    /**
     * Corrects whether it was automated. If the activity itself has not arrived yet, stores it as corrected. False if
     * the activities that count are unchanged.
     */
    async reclassify(
      tx: Transaction,
      accountId: AccountId,
      contactId: ContactId,
      { reclassifiedAt, ...activity }: Reclassification,
    ): Promise<boolean> {
      const own = { _id: idOf(accountId, activity.id), account_id: accountId, contact_id: contactId };
      const known = await activities.findOne(own, { session: tx.session, projection: { machine: 1, judged_at: 1 } });
      const corrected = { machine: activity.machine, judged_at: reclassifiedAt };
      if (!known) {
        const properties = keptProperties(activity.properties);
        await activities.insertOne({ ...own, name: activity.name, time: activity.time, properties, ...corrected }, { session: tx.session });
        return !activity.machine;
      }
      if (known.judged_at && known.judged_at >= reclassifiedAt) return false;
      await activities.updateOne(own, { $set: corrected }, { session: tx.session });
      return known.machine !== activity.machine;
    },

    readOne,

    /** The activities that rules need, for several contacts. */
    async read(
      accountId: AccountId,
      {
        contactIds,
        reach,
        now,
        tx,
      }: { contactIds: readonly ContactId[]; reach: ReadonlyMap<string, Reach>; now: Date; tx?: Transaction | undefined },
    ): Promise<ActivitiesByContact> {
      if (reach.size === 0 || contactIds.length === 0) return new Map();
      if (contactIds.length > 1) {
        const since = new Date(now.getTime() - Math.max(...[...reach.values()].map(({ windowMs }) => windowMs)));
        const rows = await activities
          .find(
            {
              account_id: accountId,
              contact_id: { $in: [...contactIds] },
              name: { $in: [...reach.keys()] },
              machine: false,
              time: { $gt: since },
            },
            tx && { session: tx.session },
          )
          .limit(maxAtOnce)
          .toArray();
        if (rows.length < maxAtOnce) return grouped(rows);
      }
      const byContact: ActivitiesByContact = new Map();
      for (const contactId of contactIds) byContact.set(contactId, await readOne(accountId, { contactIds: [contactId], reach, now, tx }));
      return byContact;
    },

    /** The names of the tracked events of these contacts. */
    async namesOf(accountId: AccountId, contactIds: readonly ContactId[]): Promise<string[]> {
      const names: string[] = await activities.distinct('name', { account_id: accountId, contact_id: { $in: [...contactIds] } });
      return names.filter((name) => !name.startsWith(campaignPrefix) && !name.startsWith(formPrefix));
    },

    /** Removes up to `limit` activities of a contact; returns how many. */
    async removeSome(tx: Transaction, accountId: AccountId, contactId: ContactId, limit: number): Promise<number> {
      const rows = await activities
        .find({ account_id: accountId, contact_id: contactId }, { session: tx.session, projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      if (rows.length === 0) return 0;
      await activities.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session: tx.session });
      return rows.length;
    },
  };
}

function grouped(rows: readonly ActivityDocument[]): ActivitiesByContact {
  const byContact: ActivitiesByContact = new Map();
  for (const row of rows.toSorted((a, b) => b.time.getTime() - a.time.getTime())) {
    const byName = byContact.get(row.contact_id) ?? new Map<string, Activity[]>();
    byContact.set(row.contact_id, byName);
    const list = byName.get(row.name);
    if (list && list.length < maxRead) list.push(activityOf(row));
    if (!list) byName.set(row.name, [activityOf(row)]);
  }
  return byContact;
}

const activityOf = ({ name, time, properties, value }: ActivityDocument): Activity => ({
  name,
  time,
  properties: Object.fromEntries(properties),
  ...(value && { value }),
});
