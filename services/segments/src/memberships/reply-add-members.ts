import { ApiError } from '@mp/contracts/errors';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { type AccountId, newId, type SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Mongo } from '@mp/service-kit/mongo';
import type { FindContacts } from '../profiles/find-contacts.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import { type ChangeMembers, requireStatic } from './change-members.ts';
import type { MembershipsStore } from './memberships-store.ts';

type Deps = {
  mongo: Mongo;
  segments: SegmentsStore;
  memberships: MembershipsStore;
  findContacts: FindContacts;
  changeMembers: ChangeMembers;
};

/** Adds contacts to a static segment for another service, such as for a bulk job. */
export const replyToAddMembers =
  (broker: Broker, { mongo, segments, memberships, findContacts, changeMembers }: Deps) =>
  () =>
    broker.reply(SegmentMembersAdd, async ({ account_id, segment_id, contact_ids, by, dry_run, ...cause }) => {
      const refused = await refusalOf(segments, account_id, segment_id);
      if (refused !== null) return { refused, items: [] };
      const { start_workflows: startsWorkflows, correlation_id: correlationId = newId('request') } = cause;
      const origin = { correlationId, causationId: null, startsWorkflows };
      const found = await findContacts(
        account_id,
        contact_ids.map((id) => ({ id })),
        origin,
      );
      const contactIds = [...new Set(found.flatMap((id) => id ?? []))];
      return mongo.transaction(origin, async (tx) => {
        const segment = await segments.get(account_id, segment_id, tx);
        requireStatic(segment);
        const open = await memberships.openIn(account_id, segment_id, contactIds, tx);
        if (!dry_run) await changeMembers(tx, account_id, segment, { to: 'inside', contactIds, reason: { cause: 'manual', by } });
        const items = contact_ids.map((contact_id, index) => {
          const id = found[index];
          if (id === undefined) return { contact_id, status: 'not_found' as const };
          const member = open.get(id);
          // A repeated request has the result of the first one.
          return { contact_id, status: member && member.enteredBy !== by ? ('already_member' as const) : ('added' as const) };
        });
        return { refused: null, items };
      });
    });

/** Why contacts cannot be added to the segment now; null if they can. */
async function refusalOf(segments: SegmentsStore, accountId: AccountId, segmentId: SegmentId): Promise<string | null> {
  const [segment] = await segments.find(accountId, [segmentId]);
  if (!segment) return 'No segment has this ID.';
  try {
    requireStatic(segment);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
