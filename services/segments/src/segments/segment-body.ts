import { invalid } from '@mp/contracts/errors';
import { Name } from '@mp/contracts/text';
import { Rule } from '@mp/rules/rule';
import { z } from 'zod';
import { Segment, SegmentKind, type StoredSegment } from './segment.ts';

/** Definitions are kept in memory by every replica. */
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

/** What GET returned can be edited and put back. `status`, `count` and `evaluated_at` change by themselves and are not compared. */
export const UpdateSegmentBody = z.strictObject({ ...Segment.shape, ...writable }).partial();

const readOnlyMembers = ['id', 'kind', 'version', 'revision', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR for a read-only member that was changed. */
export function refuseReadOnly(body: z.output<typeof UpdateSegmentBody>, before: StoredSegment) {
  for (const name of readOnlyMembers) {
    if (body[name] !== undefined && body[name] !== before[name]) {
      throw invalid(`/${name}`, 'read_only', `${name} cannot be set; leave it out or send it unchanged (${JSON.stringify(before[name])}).`);
    }
  }
}
