import { z } from 'zod';
import { type LeafEvaluator, no, yes } from './subject.ts';

export const SegmentLeaf = z
  .strictObject({
    segment: z
      .string()
      .max(100)
      .regex(/^segment_[0-9a-z]+$/, 'segment must be the ID of a segment.'),
    op: z.enum(['in', 'not_in']).optional().describe('Whether the contact must be in the segment or not; `in` by default.'),
  })
  .meta({ title: 'Segment membership' });
export type SegmentLeaf = z.infer<typeof SegmentLeaf>;

export function segmentEvaluator({ segment, op = 'in' }: SegmentLeaf): LeafEvaluator {
  return {
    evaluate: ({ segments }) => (segments.has(segment) === (op === 'in') ? yes : no),
    see: ({ segments }) => (segments.has(segment) ? 'in' : 'not_in'),
  };
}
