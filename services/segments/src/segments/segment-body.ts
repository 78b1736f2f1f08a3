import { invalid } from '@mp/contracts/errors';
import { Name } from '@mp/contracts/text';
import { Rule } from '@mp/rules/rule';
import { z } from 'zod';
import { Segment, SegmentKind, type StoredSegment } from './segment.ts';

/** Small, because every replica keeps definitions in memory. */
export const segmentBodyLimit = 256 * 1024;

const writable = {
  name: Name(200),
  description: z
    .string()
    .trim()
    .normalize('NFC')
    .max(2_000)
    .transform((value) => value || null)
    .nullable(),
  definition: Rule,
};

export const CreateSegmentBody = z.strictObject({
  ...writable,
  description: writable.description.optional(),
  kind: SegmentKind.optional(),
});

/** A segment from GET can be edited and sent back. `status`, `count` and `evaluated_at` change on their own and are ignored. */
export const UpdateSegmentBody = z.strictObject({ ...Segment.shape, ...writable }).partial();

const readOnlyFields = ['id', 'kind', 'version', 'revision', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR if a read-only field was changed. */
export function rejectReadOnlyChanges(body: z.output<typeof UpdateSegmentBody>, before: StoredSegment) {
  for (const name of readOnlyFields) {
    if (body[name] !== undefined && body[name] !== before[name]) {
      throw invalid(`/${name}`, 'read_only', `${name} cannot be set; leave it out or send it unchanged (${JSON.stringify(before[name])}).`);
    }
  }
}
