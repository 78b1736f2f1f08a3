import { ApiError } from '@mp/contracts/errors';
import type { KnownPositions, Publisher } from '@mp/contracts/requests/positions';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import type { AccountId, SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { Consistency } from './caught-up.ts';

export type AwaitConsistency = ReturnType<typeof createAwaitConsistency>;

type Deps = { broker: Pick<Broker, 'request' | 'ready'>; consistency: Consistency; logger: Logger };
type Wanted = { accountId: AccountId; publishers: readonly Publisher[]; segmentIds: readonly SegmentId[] };

const membersMs = 5_000;
const referencesMs = 5_000;
const retryAfter = 2;

const notBuilt =
  'The segment, or a segment its rule uses, could not be built, so its members are unknown. Update it with its definition to rebuild it.';

/** Waits until changes that other services confirmed have been applied here. */
export function createAwaitConsistency({ broker, consistency, logger }: Deps) {
  /** False if it takes longer than `patienceMs`. Throws if a publisher does not reply. */
  async function untilApplied({ accountId, publishers, segmentIds }: Wanted, patienceMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + patienceMs;
    const left = () => Math.max(1, Math.ceil(giveUpAt - performance.now()));
    let known: KnownPositions = {};
    while (broker.ready() && performance.now() < giveUpAt) {
      known = await requestPositions((type, request) => broker.request(type, request, left()), accountId, publishers, known);
      const positions = positionsOf(publishers, known);
      if (!positions) continue;
      const { state } = await consistency.caughtUp(accountId, segmentIds, positions, giveUpAt);
      if (state === 'caught_up') return true;
      if (state === 'lost') known = {};
    }
    return false;
  }

  async function requireBuilt(accountId: AccountId, segmentId: SegmentId) {
    const failed = (await consistency.failedOf(accountId, [segmentId])).length > 0;
    if (failed) throw new ApiError('INVALID_STATE', notBuilt, { details: [{ code: 'failed_segment', message: notBuilt }] });
  }

  return {
    /**
     * Resolves once the members of a segment reflect every contact and event that the API confirmed before the call.
     * Throws INVALID_STATE if the segment, or one that its rule uses, could not be built, and SERVICE_UNAVAILABLE if it
     * takes too long.
     */
    async members(accountId: AccountId, segmentId: SegmentId) {
      await requireBuilt(accountId, segmentId);
      const publishers = await consistency.sourcesOf(accountId, [segmentId]);
      if (await untilApplied({ accountId, publishers, segmentIds: [segmentId] }, membersMs)) return;
      await requireBuilt(accountId, segmentId);
      const message = 'The segment has not caught up with the latest changes yet; retry, or omit `consistent`.';
      throw new ApiError('SERVICE_UNAVAILABLE', message, { retryAfter });
    },

    /** Waits until the references are as of the call. Never throws; after the time limit they are as of the last event. */
    async references(accountId: AccountId) {
      const wanted = { accountId, publishers: ['campaigns', 'workflows'] as const, segmentIds: [] };
      const applied = await untilApplied(wanted, referencesMs).catch((err: unknown) => {
        logger.warn({ err }, 'the campaigns or workflows service did not report its position');
        return false;
      });
      if (!applied) logger.warn({ account_id: accountId }, 'the references to a segment may be out of date');
    },
  };
}
