import type { KnownPositions } from '@mp/contracts/requests/positions';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import { SegmentsCaughtUp, SegmentsExist } from '@mp/contracts/requests/segments';
import type { AccountId, SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

const replyMs = 2_000;

type MomentQuery = { accountId: AccountId; segmentId: SegmentId; whereabouts: KnownPositions };

/**
 * Finds the time as of which the members of a segment include every contact and event confirmed before the first attempt, or
 * the positions to store until the next attempt. `unknown`: the segment is missing, archived or failed to build, so it will
 * not catch up.
 */
export async function findMembersMoment(
  broker: Pick<Broker, 'request'>,
  { accountId, segmentId, whereabouts: known }: MomentQuery,
): Promise<{ asOf: Date } | { whereabouts: KnownPositions } | 'unknown'> {
  const query = { account_id: accountId, segment_ids: [segmentId] };
  const { missing, archived, failed, sources } = await broker.request(SegmentsExist, query, replyMs);
  if (missing.length + archived.length + failed.length > 0) return 'unknown';
  const whereabouts = await requestPositions((type, request) => broker.request(type, request, replyMs), accountId, sources, known);
  const positions = positionsOf(sources, whereabouts);
  if (!positions) return { whereabouts };
  const { state, as_of } = await broker.request(SegmentsCaughtUp, { ...query, positions }, replyMs);
  if (state === 'lost') return { whereabouts: {} };
  return as_of === null ? { whereabouts } : { asOf: new Date(as_of) };
}
