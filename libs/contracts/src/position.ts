import { z } from 'zod';

/**
 * A position in a stream; it covers every event of the live lane up to it. A stream that was lost and created again restarts at 1,
 * so a position is only valid for its epoch.
 */
export const Position = z.object({
  stream: z.string(),
  epoch: z.string(),
  sequence: z.number().int().min(0),
  bulk: z.number().int().min(0).optional().describe('It covers every event of the bulk lane up to this sequence; without it, none.'),
});
export type Position = z.infer<typeof Position>;

/** How many events of the stream, at most, come after what has been applied and up to a position. Both have the same epoch. */
export const eventsBetween = (applied: Position, position: Position): number =>
  Math.max(0, position.sequence - applied.sequence, (position.bulk ?? 0) - (applied.bulk ?? 0));
