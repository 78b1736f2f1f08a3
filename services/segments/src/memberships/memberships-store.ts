import { type AccountId, type ContactId, newId, type SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { beforeAll } from '../profiles/profile.ts';
import type { Cause } from './cause.ts';

/** One stay of a contact in a segment, from `entered_at` until `left_at` (exclusive). */
type MembershipDocument = {
  _id: string;
  account_id: AccountId;
  segment_id: SegmentId;
  contact_id: ContactId;
  /** The version of the segment under which the contact entered. */
  version: number;
  entered_at: Date;
  /** `stillInside` until the contact leaves: a date rather than null, so that one comparison covers present and past. */
  left_at: Date;
  /** Why the contact entered and left; absent for changes before causes were stored. */
  entered_cause?: Cause;
  left_cause?: Cause;
  /** The API key, OAuth client or user that added or removed the contact. */
  entered_by?: string;
  /** The contact whose merge into this one caused it to enter. */
  merged_from?: ContactId;
  left_by?: string;
};

/** Why memberships change, and who changes them if a caller does. */
export type Reason = { cause: Cause; by?: string };

export type OpenMembership = {
  id: string;
  segmentId: SegmentId;
  contactId: ContactId;
  enteredAt: Date;
  enteredBy: string | null;
  mergedFrom: ContactId | null;
};
/** One entry into a segment or one exit from it. */
export type StoredChange = { id: string; contactId: ContactId; to: 'inside' | 'outside'; at: Date; cause: Cause | null; by: string | null };

/** The place of a change in the order of changes: by time, membership, and entering before leaving. */
export type ChangePosition = Pick<StoredChange, 'id' | 'to' | 'at'>;

/** How many contacts entered and left a segment in a period. */
export type PeriodChange = { start: Date; entered: number; left: number };

type ChangesQuery = { from: Date | undefined; before: Date; after: ChangePosition | undefined; direction: 1 | -1; limit: number };

export type MemberRow = { contactId: ContactId; enteredAt: Date };
export type Entering = { segmentId: SegmentId; contactId: ContactId; version: number; at: Date; mergedFrom?: ContactId };

/** The current members, or those as of a time. */
export type When = Date | 'now';

export type MembershipsStore = ReturnType<typeof createMembershipsStore>;

const stillInside = new Date('9999-12-31T00:00:00.000Z');

/** Owns the `memberships` collection. Every query names the account. */
export function createMembershipsStore(db: Db) {
  const memberships = db.collection<MembershipDocument>('memberships');
  const openOnly = { partialFilterExpression: { left_at: stillInside } };

  const during = (when: When) => (when === 'now' ? { left_at: stillInside } : { entered_at: { $lte: when }, left_at: { $gt: when } });
  const indexFor = (when: When) => (when === 'now' ? 'members' : 'history');

  async function page(
    accountId: AccountId,
    segmentId: SegmentId,
    { when, after, limit }: { when: When; after: ContactId | null; limit: number },
  ): Promise<MemberRow[]> {
    const rows = await memberships
      .find({ account_id: accountId, segment_id: segmentId, ...during(when), ...(after !== null && { contact_id: { $gt: after } }) })
      .sort({ contact_id: 1 })
      .limit(limit)
      .hint(indexFor(when))
      .project<{ contact_id: ContactId; entered_at: Date }>({ contact_id: 1, entered_at: 1 })
      .toArray();
    return rows.map((row) => ({ contactId: row.contact_id, enteredAt: row.entered_at }));
  }

  async function changesTo(
    accountId: AccountId,
    segmentId: SegmentId,
    to: StoredChange['to'],
    query: ChangesQuery,
  ): Promise<StoredChange[]> {
    const { from, before, after, direction, limit } = query;
    const field = to === 'inside' ? 'entered_at' : 'left_at';
    const period = { account_id: accountId, segment_id: segmentId, [field]: { $lt: before, ...(from && { $gte: from }) } };
    const rows = await memberships
      .find(after ? { $or: beyond(field, to, after, direction).map((part) => ({ $and: [period, part] })) } : period)
      .sort({ [field]: direction, _id: direction })
      .limit(limit)
      .hint(to === 'inside' ? 'entered' : 'left')
      .toArray();
    return rows.map((row) => ({
      id: row._id,
      contactId: row.contact_id,
      to,
      at: row[field],
      cause: (to === 'inside' ? row.entered_cause : row.left_cause) ?? null,
      by: (to === 'inside' ? row.entered_by : row.left_by) ?? null,
    }));
  }

  return {
    prepare: () =>
      prepareCollection(
        memberships,
        [
          { name: 'members', key: { account_id: 1, segment_id: 1, contact_id: 1 }, unique: true, ...openOnly },
          { name: 'history', key: { account_id: 1, segment_id: 1, contact_id: 1, entered_at: 1, left_at: 1 } },
          { name: 'contact', key: { account_id: 1, contact_id: 1, segment_id: 1 }, ...openOnly },
          { name: 'entered', key: { account_id: 1, segment_id: 1, entered_at: 1, _id: 1 } },
          {
            name: 'left',
            key: { account_id: 1, segment_id: 1, left_at: 1, _id: 1 },
            partialFilterExpression: { left_at: { $lt: stillInside } },
          },
        ],
        db,
      ),

    page,

    count: (accountId: AccountId, segmentId: SegmentId, when: When, tx?: Transaction) =>
      memberships.countDocuments(
        { account_id: accountId, segment_id: segmentId, ...during(when) },
        { hint: indexFor(when), ...(tx && { session: tx.session }) },
      ),

    /** The segments each contact is in. */
    async openOf(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<OpenMembership[]> {
      const rows = await memberships
        .find({ account_id: accountId, contact_id: { $in: [...contactIds] }, left_at: stillInside }, tx && { session: tx.session })
        .hint('contact')
        .toArray();
      return rows.map(openMembershipOf);
    },

    /** The contact's current memberships, in the order of their segments' ids. */
    async openPage(accountId: AccountId, contactId: ContactId, after: SegmentId | null, limit: number): Promise<OpenMembership[]> {
      const next = after === null ? {} : { segment_id: { $gt: after } };
      const rows = await memberships
        .find({ account_id: accountId, contact_id: contactId, left_at: stillInside, ...next })
        .sort({ segment_id: 1 })
        .limit(limit)
        .hint('contact')
        .toArray();
      return rows.map(openMembershipOf);
    },

    /** The memberships of these contacts in one segment, by contact. */
    async openIn(
      accountId: AccountId,
      segmentId: SegmentId,
      contactIds: readonly ContactId[],
      tx: Transaction,
    ): Promise<Map<ContactId, OpenMembership>> {
      const rows = await memberships
        .find(
          { account_id: accountId, segment_id: segmentId, contact_id: { $in: [...contactIds] }, left_at: stillInside },
          { session: tx.session },
        )
        .hint('members')
        .toArray();
      return new Map(rows.map((row) => [row.contact_id, openMembershipOf(row)]));
    },

    /** Some members of a segment, in no particular order. */
    async someInside(accountId: AccountId, segmentId: SegmentId, limit: number, tx: Transaction): Promise<OpenMembership[]> {
      const rows = await memberships
        .find({ account_id: accountId, segment_id: segmentId, left_at: stillInside }, { session: tx.session })
        .hint('members')
        .limit(limit)
        .toArray();
      return rows.map(openMembershipOf);
    },

    /** Contacts that are in any segment, in id order. */
    async contactsInside(accountId: AccountId, after: ContactId | null, upTo: ContactId | null): Promise<ContactId[]> {
      const range = { $gt: after ?? beforeAll, ...(upTo !== null && { $lte: upTo }) };
      return memberships.distinct('contact_id', { account_id: accountId, contact_id: range, left_at: stillInside });
    },

    /** The contact's newest stay in the segment, past or present; undefined if it was never a member. */
    async newest(accountId: AccountId, segmentId: SegmentId, contactId: ContactId, tx: Transaction) {
      const row = await memberships.findOne(
        { account_id: accountId, segment_id: segmentId, contact_id: contactId },
        { session: tx.session, sort: { entered_at: -1 }, hint: 'history' },
      );
      if (!row) return undefined;
      return {
        enteredAt: row.entered_at,
        enteredCause: row.entered_cause ?? null,
        enteredBy: row.entered_by ?? null,
        leftAt: row.left_at.getTime() === stillInside.getTime() ? null : row.left_at,
        leftCause: row.left_cause ?? null,
        leftBy: row.left_by ?? null,
      };
    },

    /** The changes of a segment in a period, in order. */
    async changes(accountId: AccountId, segmentId: SegmentId, query: ChangesQuery): Promise<StoredChange[]> {
      const streams = await Promise.all((['inside', 'outside'] as const).map((to) => changesTo(accountId, segmentId, to, query)));
      return streams
        .flat()
        .sort((a, b) => query.direction * inOrder(a, b))
        .slice(0, query.limit);
    },

    /** How many contacts entered and left in each period of `lengthMs`, from the stored stays, by the start of the period. */
    async changesPerPeriod(tx: Transaction, accountId: AccountId, segmentId: SegmentId, lengthMs: number): Promise<PeriodChange[]> {
      const found: PeriodChange[] = [];
      for (const [index, field] of [
        ['entered', 'entered_at'],
        ['left', 'left_at'],
      ] as const) {
        const at = { $subtract: [`$${field}`, new Date(0)] };
        const rows = await memberships
          .aggregate<{ _id: number; count: number }>(
            [
              { $match: { account_id: accountId, segment_id: segmentId, [field]: { $lt: stillInside } } },
              { $group: { _id: { $subtract: [at, { $mod: [at, lengthMs] }] }, count: { $sum: 1 } } },
            ],
            { session: tx.session, hint: index },
          )
          .toArray();
        found.push(...rows.map(({ _id, count }) => ({ start: new Date(Number(_id)), entered: 0, left: 0, [index]: count })));
      }
      return found;
    },

    /** Every stay of any contact in a segment. */
    async staysOf(accountId: AccountId, segmentId: SegmentId) {
      const rows = await memberships.find({ account_id: accountId, segment_id: segmentId }).hint('history').toArray();
      return rows.map((row) => ({
        contactId: row.contact_id,
        enteredAt: row.entered_at,
        leftAt: row.left_at.getTime() === stillInside.getTime() ? null : row.left_at,
      }));
    },

    async enter(tx: Transaction, accountId: AccountId, { cause, by }: Reason, entering: readonly Entering[]) {
      if (entering.length === 0) return;
      await memberships.insertMany(
        entering.map(({ segmentId, contactId, version, at, mergedFrom }) => ({
          _id: newId('membership'),
          account_id: accountId,
          segment_id: segmentId,
          contact_id: contactId,
          version,
          entered_at: at,
          left_at: stillInside,
          entered_cause: cause,
          ...(by !== undefined && { entered_by: by }),
          ...(mergedFrom !== undefined && { merged_from: mergedFrom }),
        })),
        { session: tx.session },
      );
    },

    async leave(tx: Transaction, accountId: AccountId, { cause, by }: Reason, leaving: readonly { membershipId: string; at: Date }[]) {
      if (leaving.length === 0) return;
      await memberships.bulkWrite(
        leaving.map(({ membershipId, at }) => ({
          updateOne: {
            filter: { _id: membershipId, account_id: accountId, left_at: stillInside },
            update: { $set: { left_at: at, left_cause: cause, ...(by !== undefined && { left_by: by }) } },
          },
        })),
        { session: tx.session },
      );
    },

    /** Removes the past stays of erased contacts; returns how many. Lists segment ids, because the index starts with them. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
      const segmentIds: SegmentId[] = await memberships.distinct('segment_id', { account_id: accountId });
      const past = { account_id: accountId, segment_id: { $in: segmentIds }, contact_id: { $in: [...contactIds] } };
      return (await memberships.deleteMany({ ...past, left_at: { $lt: stillInside } })).deletedCount;
    },
  };
}

const inOrder = (a: ChangePosition, b: ChangePosition): number =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || (a.to === b.to ? 0 : a.to === 'inside' ? -1 : 1);

/** The rows of one kind of change that follow a position. */
function beyond(field: 'entered_at' | 'left_at', to: StoredChange['to'], after: ChangePosition, direction: 1 | -1) {
  const past = direction === 1 ? '$gt' : '$lt';
  const sameRow = direction * inOrder({ ...after, to }, after) > 0 ? [{ [field]: after.at, _id: after.id }] : [];
  return [...sameRow, { [field]: after.at, _id: { [past]: after.id } }, { [field]: { [past]: after.at } }];
}

const openMembershipOf = ({ _id, segment_id, contact_id, entered_at, entered_by, merged_from }: MembershipDocument): OpenMembership => ({
  id: _id,
  segmentId: segment_id,
  contactId: contact_id,
  enteredAt: entered_at,
  enteredBy: entered_by ?? null,
  mergedFrom: merged_from ?? null,
});
