import { ApiError, invalid } from '@mp/contracts/errors';
import { SegmentMembersPage, SegmentsExist } from '@mp/contracts/questions/segments';
import type { Broker } from '@mp/service-kit/broker';

type Asked = { accountId: string; segmentId: string; asOf: Date; after: string | null; limit: number };

export type ReadMembers = ReturnType<typeof createReadMembers>;

async function exists(broker: Pick<Broker, 'ask'>, accountId: string, segmentId: string): Promise<boolean> {
  return (await broker.ask(SegmentsExist, { account_id: accountId, segment_ids: [segmentId] })).missing.length === 0;
}

/**
 * Reads the members of a segment as of a time, in contact id order; `next` is null at the end. Throws SERVICE_UNAVAILABLE if segments
 * does not reply, and INVALID_STATE if the segment could not be built or was deleted in the meantime.
 */
export const createReadMembers = (broker: Pick<Broker, 'ask'>) => async (asked: Asked) => {
  const { accountId, segmentId, asOf, after, limit } = asked;
  const request = { account_id: accountId, segment_ids: [segmentId], as_of: asOf.toISOString(), after, limit };
  const { contact_ids: ids, next } = await broker.ask(SegmentMembersPage, request);
  // A deleted segment has no members, so the end could be reached too early.
  if (next === null && !(await exists(broker, accountId, segmentId)))
    throw new ApiError('INVALID_STATE', 'The segment was deleted before all its members were read.');
  return { ids, next };
};

/** Throws VALIDATION_ERROR for a segment that the account does not have, SERVICE_UNAVAILABLE if segments does not reply. */
export async function requireSegment(broker: Pick<Broker, 'ask'>, accountId: string, segmentId: string, path: string) {
  if (!(await exists(broker, accountId, segmentId))) throw invalid(path, 'unknown_segment', 'No segment has this ID.');
}
