import { invalid } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { Name } from '@mp/contracts/text';
import { Rule } from '@mp/rules/rule';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
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

export const CreateSegmentBody = z
  .strictObject({
    ...writable,
    description: writable.description.optional(),
    kind: SegmentKind.default('dynamic'),
    definition: Rule.nullable().optional().describe('The rule of a dynamic segment. A static segment has none.'),
    source_segment_id: segmentId
      .max(100)
      .optional()
      .describe('Creates a static segment with the members of this segment; later changes of that segment do not affect the copy.'),
    source_as_of: Moment.optional().describe('Copies the members that the source segment had at this time. Now by default.'),
  })
  .superRefine(({ kind, definition, source_segment_id, source_as_of }, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const isStatic = kind === 'static';
    if (!isStatic && !definition)
      wrong('definition', 'A dynamic segment needs a definition. To add contacts yourself, use "kind": "static".');
    if (isStatic && definition) wrong('definition', 'A static segment has no definition; add contacts to it, or omit kind.');
    if (!isStatic && source_segment_id !== undefined)
      wrong('source_segment_id', 'Only a static segment can copy members; use "kind": "static".');
    if (source_segment_id === undefined && source_as_of !== undefined)
      wrong('source_as_of', 'source_as_of applies to source_segment_id only.');
  });

/** A segment from GET can be edited and sent back. `status`, `count`, `evaluated_at` and `warnings` change on their own and are ignored. */
export const UpdateSegmentBody = z
  .strictObject({ ...Segment.shape, ...writable, definition: Rule.nullable(), warnings: z.unknown() })
  .partial();

const readOnlyFields = ['id', 'kind', 'version', 'revision', 'archived_at', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR if a read-only field was changed, or a dynamic segment would lose its definition. */
export function checkUpdate(body: z.output<typeof UpdateSegmentBody>, before: StoredSegment) {
  rejectReadOnlyChanges(body, before, readOnlyFields);
  if (body.definition === null && before.kind === 'dynamic')
    throw invalid('/definition', 'required', 'A dynamic segment needs a definition.');
  if (body.definition && before.kind === 'static') {
    throw invalid('/definition', 'not_allowed', 'A static segment has no definition; add and remove its contacts instead.');
  }
}
