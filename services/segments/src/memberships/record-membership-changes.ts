import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { latest } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Growth } from '../segments/count-changes-store.ts';
import { quarterOf } from '../segments/growth-store.ts';
import type { SegmentCounts } from '../segments/segment-counts.ts';
import type { Cause } from './cause.ts';
import type { MembershipsStore, Reason } from './memberships-store.ts';
import type { SequencesStore } from './sequences-store.ts';

export type MembershipChange = { segmentId: SegmentId; segmentName: string; contactId: ContactId; at: Date } & (
  | { to: 'inside'; version: number; mergedFrom?: ContactId }
  | { to: 'outside'; membershipId: string }
);

export type RecordChanges = ReturnType<typeof createRecordChanges>;

type Stores = {
  memberships: MembershipsStore;
  sequences: SequencesStore;
  counts: SegmentCounts;
  outbox: Outbox;
};

/**
 * Writes membership changes with their events, which are numbered in order per contact. The transaction must have touched
 * the profile of every contact involved.
 */
export function createRecordChanges({ memberships, sequences, counts, outbox }: Stores) {
  return async function recordChanges(tx: Transaction, accountId: AccountId, reason: Reason, changes: readonly MembershipChange[]) {
    if (changes.length === 0) return;
    const perContact = new Map<ContactId, MembershipChange[]>();
    for (const change of changes) perContact.set(change.contactId, [...(perContact.get(change.contactId) ?? []), change]);
    const last = await sequences.take(tx, accountId, new Map([...perContact].map(([id, own]) => [id, own.length])));
    const events = [...perContact].flatMap(([contactId, own]) =>
      own.map((change, index) => ({ change, data: eventOf(change, reason.cause, (last.get(contactId) ?? 0) + index + 1) })),
    );

    const entering = changes.filter((change) => change.to === 'inside');
    const leaving = changes.filter((change) => change.to === 'outside');
    await memberships.leave(tx, accountId, reason, leaving);
    await memberships.enter(tx, accountId, reason, entering);
    await outbox.addMany(tx, MembershipLeft, accountId, dataTo('outside'));
    await outbox.addMany(tx, MembershipEntered, accountId, dataTo('inside'));
    await counts.change(tx, accountId, growthOf(changes), latest(...changes.map(({ at }) => at)));

    function dataTo(to: MembershipChange['to']) {
      return events.filter(({ change }) => change.to === to).map(({ data }) => data);
    }
  };
}

/** How many contacts entered and left each segment in each quarter of an hour. */
function growthOf(changes: readonly MembershipChange[]): Growth[] {
  const growth = new Map<string, Growth>();
  for (const { segmentId, to, at } of changes) {
    const quarter = quarterOf(at);
    const key = `${segmentId} ${quarter.getTime()}`;
    const { entered, left } = growth.get(key) ?? { entered: 0, left: 0 };
    growth.set(key, { segmentId, quarter, entered: entered + (to === 'inside' ? 1 : 0), left: left + (to === 'outside' ? 1 : 0) });
  }
  return [...growth.values()];
}

const eventOf = ({ segmentId, segmentName, contactId, at }: MembershipChange, cause: Cause, sequence: number) => ({
  segment_id: segmentId,
  segment_name: segmentName,
  contact_id: contactId,
  sequence,
  at: at.toISOString(),
  cause,
});
