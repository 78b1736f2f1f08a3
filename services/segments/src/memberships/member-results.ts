import { contactId, segmentId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { ContactId, SegmentId } from '@mp/ids';
import { z } from 'zod';

const MemberStatus = z.enum(['added', 'already_member', 'removed', 'not_member', 'not_found']);

/** The result of a request that adds contacts to a segment or removes them: one item for each contact, in the order given. */
export const MemberResults = z
  .object({
    segment_id: segmentId,
    changed: z.number().int().describe('How many contacts were added or removed.'),
    results: renamedFrom(
      'items',
      z
        .array(
          z.object({
            index: z.number().int().describe('The position in the request, from 0.'),
            contact_id: contactId.nullable().describe('The contact; null if the account does not have it.'),
            status: MemberStatus.describe('What happened. `already_member`, `not_member` and `not_found` changed nothing.'),
          }),
        )
        .describe('One result for each contact of the request, in the same order.'),
    ),
  })
  .meta({ id: 'SegmentMemberResults' });

const statuses = { inside: ['added', 'already_member'], outside: ['removed', 'not_member'] } as const;

type Outcome = { known: ReadonlySet<ContactId>; changed: ReadonlySet<ContactId> };

/** A contact that the request names twice counts as changed the first time. */
export function memberResults(
  segmentId: SegmentId,
  found: readonly (ContactId | undefined)[],
  { known, changed }: Outcome,
  to: 'inside' | 'outside',
): z.infer<typeof MemberResults> {
  const seen = new Set<ContactId>();
  const [done, unchanged] = statuses[to];
  const results = found.map((id, index) => {
    if (id === undefined || !known.has(id)) return { index, contact_id: null, status: 'not_found' as const };
    const first = !seen.has(id);
    seen.add(id);
    return { index, contact_id: id, status: first && changed.has(id) ? done : unchanged };
  });
  return { segment_id: segmentId, changed: changed.size, results };
}
