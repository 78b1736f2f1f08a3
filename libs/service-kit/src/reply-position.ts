import type { PositionRequest } from '@mp/contracts/requests/positions';
import type { StreamDefinition } from '@mp/contracts/streams';
import type { z } from 'zod';
import type { AccountPositions } from './account-positions.ts';
import { pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import type { Outbox } from './outbox.ts';
import type { StreamWatch } from './stream-watch.ts';

type Request = z.output<PositionRequest['request']>;

/** A stage between a confirmed change and the stream. `mark` identifies its newest item; `reached`: have all items up to it passed? */
export type Stage = {
  mark: (request: Request) => Promise<string>;
  reached: (request: Request, mark: string) => Promise<boolean>;
};

type Parts = { broker: Broker; outbox: Outbox; positions: AccountPositions; streamWatch?: StreamWatch | undefined };

const patienceMs = 400;
const lookAgainMs = 20;

export type PositionOf = ReturnType<typeof createPositionOf>;

/**
 * Finds the position of the account's own newest events in the stream that a service publishes to, once it holds everything of the
 * account that was confirmed at the time of the first call: stage by stage, the outbox last. A caller that retries passes the mark of
 * the last result, so that it completes under constant traffic too.
 */
export function createPositionOf(
  { broker, outbox, streamWatch, positions }: Parts,
  stream: StreamDefinition,
  before: readonly Stage[] = [],
) {
  const stages = [...before, outboxStage(outbox)];

  async function passed(stage: Stage, request: Request, mark: string, giveUpAt: number): Promise<boolean> {
    while (!(await stage.reached(request, mark))) {
      if (performance.now() > giveUpAt) return false;
      await pause(lookAgainMs);
    }
    return true;
  }

  return async (request: Request): Promise<z.output<PositionRequest['reply']>> => {
    const giveUpAt = performance.now() + patienceMs;
    // Events that the stream lost are published again before it counts as complete.
    streamWatch?.soon();
    await streamWatch?.lookWhenDue();
    const [number, ...rest] = request.mark?.split(' ') ?? [];
    let mark = request.mark === null ? undefined : rest.join(' ');
    for (const [index, stage] of stages.entries()) {
      if (index < Number(number ?? 0)) continue;
      mark ??= await stage.mark(request);
      if (!(await passed(stage, request, mark, giveUpAt))) return { position: null, mark: `${index} ${mark}` };
      mark = undefined;
    }
    const end = await broker.position(stream);
    const { live, bulk } = streamWatch ? await positions.of(streamWatch.epoch(), request.account_id) : {};
    // Events whose positions were not recorded are somewhere before the end of the live lane.
    const sequence = live === undefined || (await outbox.isSharedWithEarlier()) ? end.sequence : live;
    return { position: { ...end, sequence, ...(bulk !== undefined && { bulk }) }, mark: null };
  };
}

/** Replies to the request for the position of a service; see `createPositionOf`. */
export function replyWithPosition(parts: Parts, type: PositionRequest, stream: StreamDefinition, before: readonly Stage[] = []) {
  const positionOf = createPositionOf(parts, stream, before);
  return () => parts.broker.reply(type, positionOf);
}

const outboxStage = (outbox: Outbox): Stage => ({
  mark: async ({ account_id }) => (await outbox.newestPending(account_id)) ?? '',
  async reached({ account_id }, mark) {
    const oldest = await outbox.oldestPending(account_id);
    if (oldest === undefined || oldest > mark) return true;
    outbox.wake();
    return false;
  },
});
