import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { FindContacts, Named } from '../profiles/find-contacts.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import { type ChangeMembers, requireStatic } from './change-members.ts';
import { memberResults } from './member-results.ts';
import type { MembershipChange } from './record-membership-changes.ts';

export type Deps = { segments: SegmentsStore; findContacts: FindContacts; changeMembers: ChangeMembers };

type Change = {
  accountId: AccountId;
  segmentId: SegmentId;
  contacts: readonly Named[];
  to: MembershipChange['to'];
  /** The API key, OAuth client or user that requested it. */
  by: string;
};

/** Adds the contacts that a request names to a static segment or removes them: its check before the transaction, and its transaction. */
export function changeNamedContacts({ segments, findContacts, changeMembers }: Deps, { accountId, segmentId, contacts, to, by }: Change) {
  return {
    /** Looks up contacts only if the request can succeed. */
    before: async () => {
      requireStatic(await segments.get(accountId, segmentId));
      return findContacts(accountId, contacts);
    },
    work: async (tx: Transaction, found: readonly (ContactId | undefined)[]) => {
      const segment = await segments.get(accountId, segmentId, tx);
      requireStatic(segment);
      const contactIds = [...new Set(found.flatMap((id) => id ?? []))];
      const changed = await changeMembers(tx, accountId, segment, { to, contactIds, reason: { cause: 'manual', by } });
      return { status: 200, data: memberResults(segment.id, found, changed, to) };
    },
  };
}
