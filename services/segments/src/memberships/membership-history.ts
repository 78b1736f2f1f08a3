import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { Cause } from './cause.ts';
import { type MembershipDocument, stillInside } from './membership-document.ts';

/** One entry into a segment or one exit from it. */
export type StoredChange = { id: string; contactId: ContactId; to: 'inside' | 'outside'; at: Date; cause: Cause | null; by: string | null };

/** The place of a change in the order of changes: by time, membership, and entering before leaving. */
export type ChangePosition = Pick<StoredChange, 'id' | 'to' | 'at'>;

/** How many contacts entered and left a segment in a period. */
export type PeriodChange = { start: Date; entered: number; left: number };

type ChangesQuery = { from: Date | undefined; before: Date; after: ChangePosition | undefined; direction: 1 | -1; limit: number };

/** Reads past and present stays: the changes of a segment, and when a contact was a member. */
export function createMembershipHistory(memberships: Collection<MembershipDocument>) {
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
    /** The contact's latest membership in the segment, current or ended; undefined if it was never a member. */
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

    /** Every membership of any contact in a segment. */
    async staysOf(accountId: AccountId, segmentId: SegmentId) {
      const rows = await memberships.find({ account_id: accountId, segment_id: segmentId }).hint('history').toArray();
      return rows.map((row) => ({
        contactId: row.contact_id,
        enteredAt: row.entered_at,
        leftAt: row.left_at.getTime() === stillInside.getTime() ? null : row.left_at,
      }));
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
