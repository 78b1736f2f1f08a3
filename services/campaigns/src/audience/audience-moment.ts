import type { KnownPositions, Source } from '@mp/contracts/requests/positions';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import { SegmentsCaughtUp } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Consumer } from '@mp/service-kit/consume';
import type { Audience } from '../campaigns/campaign.ts';

/** The time as of which to take the audience, or the positions to store until the next attempt. */
export type AudienceMoment = { asOf: Date } | { whereabouts: KnownPositions };

export type FindAudienceMoment = ReturnType<typeof createFindAudienceMoment>;

type MomentRequest = { accountId: AccountId; audience: Audience; sources: readonly Source[]; whereabouts: KnownPositions };

const replyMs = 2_000;

/**
 * Finds the time as of which the audience includes every contact and event confirmed before the first attempt. The sources
 * report their positions; the segments service and our projection of contacts must then have reached them. Makes one
 * attempt without waiting, so that a campaign that has to wait does not delay others.
 */
export function createFindAudienceMoment(broker: Pick<Broker, 'request'>, consumers: readonly Consumer[]) {
  return async ({ accountId, audience, sources, whereabouts: known }: MomentRequest): Promise<AudienceMoment> => {
    const whereabouts = await requestPositions((type, request) => broker.request(type, request, replyMs), accountId, sources, known);
    const positions = positionsOf(sources, whereabouts);
    if (!positions) return { whereabouts };

    const ours = await Promise.all(
      consumers.flatMap((consumer) =>
        positions.filter(({ stream }) => stream === consumer.reads.stream.name).map((position) => consumer.progressTo(position)),
      ),
    );
    if (ours.includes('lost')) return { whereabouts: {} };
    if (ours.includes('behind')) return { whereabouts };

    const segment_ids = [...audience.include, ...audience.exclude].filter((id) => id !== 'all');
    if (segment_ids.length === 0) return { asOf: new Date() };
    const { state, as_of } = await broker.request(SegmentsCaughtUp, { account_id: accountId, segment_ids, positions }, replyMs);
    if (state === 'lost') return { whereabouts: {} };
    return as_of === null ? { whereabouts } : { asOf: new Date(as_of) };
  };
}
