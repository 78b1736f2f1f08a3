import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { replyWithPosition, type Stage } from '@mp/service-kit/reply-position';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Consistency } from './caught-up.ts';

/**
 * Replies with the position in the stream by which every membership change is published that follows from the positions in
 * `after`. Changes are written in the transaction of the event that causes them.
 */
export function replyWithSegmentsPosition(parts: Parts, { progressTo }: Pick<Consistency, 'progressTo'>) {
  const applied: Stage = {
    mark: async () => '',
    // A position in a stream that was lost is never reached; the caller requests a new one.
    reached: async ({ after }) => (await progressTo(after)) !== 'behind',
  };
  return replyWithPosition(parts, positionRequests.segments, streams.segments, [applied]);
}
