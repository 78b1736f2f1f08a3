import { invalid } from '@mp/contracts/errors';
import { includeTotal, listQuery, type Order, parseSort } from '@mp/service-kit/list';
import { nameFilter, nameSearch } from '@mp/service-kit/name-search';
import type { IndexDescription } from 'mongodb';
import { z } from 'zod';
import { SegmentStatus } from './segment.ts';

/** Segment names are unique in an account regardless of case. */
export const nameKey = (name: string) => name.normalize('NFC').toLowerCase();

export const ListSegmentsQuery = z.strictObject({
  ...listQuery,
  include: includeTotal,
  sort: z.enum(['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name']).default('-created_at'),
  name: z.string().max(200).optional().describe('The full name, case-insensitive.'),
  q: nameSearch,
  status: SegmentStatus.optional(),
  archived: z.enum(['true', 'false']).default('false').describe('`true` returns the archived segments instead of the others.'),
});
export type ListSegmentsQuery = z.output<typeof ListSegmentsQuery>;

/** The index for each filter: `name` can be combined with anything, `status` only with a sort by `created_at`. */
export const segmentIndexes = {
  name: { key: { account_id: 1, name_key: 1, _id: 1 } },
  unique_name: { key: { account_id: 1, name_key: 1 }, unique: true },
  created_at: { key: { account_id: 1, created_at: 1, _id: 1 } },
  updated_at: { key: { account_id: 1, updated_at: 1, _id: 1 } },
  status: { key: { account_id: 1, status: 1, created_at: 1, _id: 1 } },
} as const satisfies Record<string, IndexDescription>;

/** The MongoDB filter (without the account) and order for a query. Throws VALIDATION_ERROR if no index serves it. */
export function segmentsFilter({ name, q, status, archived, sort }: ListSegmentsQuery): { where: Record<string, unknown>; order: Order } {
  const order = parseSort(sort);
  if (status !== undefined && name === undefined && order.field !== 'created_at') {
    throw invalid(
      '/query',
      'unsupported_combination',
      'The filter status requires a sort by created_at. See "Filters" of GET /v2/segments in the reference.',
    );
  }
  return {
    // Without its own index, because an account has few segments.
    where: {
      archived_at: archived === 'true' ? { $ne: null } : null,
      ...(name === undefined ? {} : { name_key: nameKey(name) }),
      ...(q === undefined ? {} : nameFilter(q)),
      ...(status === undefined ? {} : { status }),
    },
    order: order.field === 'name' ? { ...order, field: 'name_key' } : order,
  };
}
