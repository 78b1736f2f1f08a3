import { ApiError, invalid } from '@mp/contracts/errors';
import { SegmentMembersAdd, SegmentMembersPage, SegmentsExist } from '@mp/contracts/requests/segments';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

type MembersQuery = { accountId: AccountId; segmentId: SegmentId; asOf: Date; after: ContactId | null; limit: number };

export type ReadMembers = ReturnType<typeof createReadMembers>;

/** Why the members of the segment cannot be read; undefined if they can. */
async function faultOf(
  broker: Pick<Broker, 'request'>,
  accountId: AccountId,
  segmentId: SegmentId,
): Promise<'missing' | 'failed' | undefined> {
  const { missing, failed } = await broker.request(SegmentsExist, { account_id: accountId, segment_ids: [segmentId] });
  if (missing.length > 0) return 'missing';
  return failed.length > 0 ? 'failed' : undefined;
}

const messages = {
  missing: 'The segment was deleted before all its members were read.',
  failed: 'The segment could not be built; update it with its definition to rebuild it.',
};

/**
 * Reads the members of a segment as of a time, in contact id order; `next` is null at the end. Throws SERVICE_UNAVAILABLE if segments
 * does not reply, and INVALID_STATE if the segment could not be built or was deleted in the meantime.
 */
export const createReadMembers = (broker: Pick<Broker, 'request'>) => async (query: MembersQuery) => {
  const { accountId, segmentId, asOf, after, limit } = query;
  const request = { account_id: accountId, segment_ids: [segmentId], as_of: asOf.toISOString(), after, limit };
  const page = await broker.request(SegmentMembersPage, request).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') return error;
    throw error;
  });
  // A deleted segment has no members, so the end could be reached too early; of one that failed to build, none can be read.
  const fault = page instanceof ApiError || page.next === null ? await faultOf(broker, accountId, segmentId) : undefined;
  if (fault) throw new ApiError('INVALID_STATE', messages[fault]);
  if (page instanceof ApiError) throw page;
  return { ids: page.contact_ids, next: page.next };
};

type Added = { contact_id: ContactId; status: 'added' | 'already_member' | 'not_found' };
type Adding = {
  accountId: AccountId;
  segmentId: SegmentId;
  contactIds: readonly ContactId[];
  by: string;
  dryRun: boolean;
  startWorkflows?: boolean;
  correlationId?: string;
};

export type AddMembers = ReturnType<typeof createAddMembers>;

/**
 * Adds contacts to a static segment. Repeated with the same `by`, it has the same results. Throws SERVICE_UNAVAILABLE if segments does
 * not reply, and INVALID_STATE if contacts cannot be added to the segment.
 */
export const createAddMembers =
  (broker: Pick<Broker, 'request'>) =>
  async (adding: Adding): Promise<Added[]> => {
    const { accountId, segmentId, contactIds, by, dryRun, startWorkflows = true, correlationId: correlation_id } = adding;
    const named = { account_id: accountId, segment_id: segmentId, contact_ids: [...contactIds] };
    const cause = { start_workflows: startWorkflows, ...(correlation_id !== undefined && { correlation_id }) };
    const request = { ...named, by, dry_run: dryRun, ...cause };
    const { refused, items } = await broker.request(SegmentMembersAdd, request);
    if (refused !== null) throw new ApiError('INVALID_STATE', refused);
    return items;
  };

/** Throws VALIDATION_ERROR unless contacts can be added to the segment, SERVICE_UNAVAILABLE if segments does not reply. */
export async function requireStaticSegment(broker: Pick<Broker, 'request'>, accountId: AccountId, segmentId: SegmentId, path: string) {
  const request = { account_id: accountId, segment_id: segmentId, contact_ids: [], by: accountId, dry_run: true };
  const { refused } = await broker.request(SegmentMembersAdd, request);
  if (refused !== null) throw invalid(path, 'unusable_segment', refused);
}

/** Throws VALIDATION_ERROR for a segment whose members cannot be read, SERVICE_UNAVAILABLE if segments does not reply. */
export async function requireSegment(broker: Pick<Broker, 'request'>, accountId: AccountId, segmentId: SegmentId, path: string) {
  const fault = await faultOf(broker, accountId, segmentId);
  if (fault === 'missing') throw invalid(path, 'unknown_segment', 'No segment has this ID.');
  if (fault === 'failed') throw invalid(path, 'failed_segment', messages.failed);
}
