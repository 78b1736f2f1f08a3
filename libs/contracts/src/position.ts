import { z } from 'zod';

/**
 * A place in a stream: everything up to it. A stream that was lost and made again counts from 1 again, so a position is
 * only meaningful in the stream of its epoch.
 */
export const Position = z.object({ stream: z.string(), epoch: z.string(), sequence: z.number().int().min(0) });
export type Position = z.infer<typeof Position>;
