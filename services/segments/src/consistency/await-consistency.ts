import { ApiError } from '@mp/contracts/errors';
import { askPositions, positionsOf } from '@mp/contracts/questions/ask-positions';
import type { Whereabouts } from '@mp/contracts/questions/positions';
import type { Broker } from '@mp/service-kit/broker';
import type { Consistency } from './caught-up.ts';

export type AwaitConsistency = ReturnType<typeof createAwaitConsistency>;

const patienceMs = 5_000;
const retryAfter = 2;

/**
 * Resolves once the members of a segment follow from every contact and event that the API confirmed before the call.
 * Throws SERVICE_UNAVAILABLE when that takes too long.
 */
export function createAwaitConsistency({ broker, consistency }: { broker: Pick<Broker, 'ask' | 'ready'>; consistency: Consistency }) {
  const late = (cause?: unknown) =>
    new ApiError('SERVICE_UNAVAILABLE', 'The segment has not caught up with the latest changes yet; retry, or leave out `consistent`.', {
      retryAfter,
      cause,
    });

  async function wait(accountId: string, segmentId: string, giveUpAt: number) {
    const sources = await consistency.sourcesOf(accountId, [segmentId]);
    let whereabouts: Whereabouts = {};
    while (performance.now() < giveUpAt) {
      const left = () => Math.max(1, Math.ceil(giveUpAt - performance.now()));
      whereabouts = await askPositions((question, asked) => broker.ask(question, asked, left()), accountId, sources, whereabouts);
      const positions = positionsOf(sources, whereabouts);
      if (!positions) continue;
      const { state } = await consistency.caughtUp(accountId, [segmentId], positions, giveUpAt);
      if (state === 'caught_up') return;
      if (state === 'lost') whereabouts = {};
    }
    throw late();
  }

  return async function awaitConsistency(accountId: string, segmentId: string) {
    if (!broker.ready()) throw late();
    await wait(accountId, segmentId, performance.now() + patienceMs).catch((error: unknown) => {
      throw error instanceof ApiError ? error : late(error);
    });
  };
}
