import { type AccountId, type ContactId, newId, type SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { beforeAll } from '../profiles/profile.ts';
import type { Cause } from './cause.ts';
import { type MembershipDocument, stillInside } from './membership-document.ts';
import { createMembershipHistory } from './membership-history.ts';

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
export type MemberRow = { contactId: ContactId; enteredAt: Date };
export type Entering = { segmentId: SegmentId; contactId: ContactId; version: number; at: Date; mergedFrom?: ContactId };

/** The current members, or those as of a time. */
export type When = Date | 'now';

export type MembershipsStore = ReturnType<typeof createMembershipsStore>;

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

  return {
    ...createMembershipHistory(memberships),

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

    /** Removes the past memberships of erased contacts; returns how many. Lists segment ids, because the index starts with them. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
      const segmentIds: SegmentId[] = await memberships.distinct('segment_id', { account_id: accountId });
      const past = { account_id: accountId, segment_id: { $in: segmentIds }, contact_id: { $in: [...contactIds] } };
      return (await memberships.deleteMany({ ...past, left_at: { $lt: stillInside } })).deletedCount;
    },
  };
}

const openMembershipOf = ({ _id, segment_id, contact_id, entered_at, entered_by, merged_from }: MembershipDocument): OpenMembership => ({
  id: _id,
  segmentId: segment_id,
  contactId: contact_id,
  enteredAt: entered_at,
  enteredBy: entered_by ?? null,
  mergedFrom: merged_from ?? null,
});
