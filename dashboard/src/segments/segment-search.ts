import type { SegmentSearch } from './segments.ts';

export const segmentSorts = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** What the address of the list of segments says. */
export function segmentSearch(raw: Record<string, unknown>): SegmentSearch {
  const sort = segmentSorts.find((one) => one === raw.sort);
  return sort ? { sort } : {};
}
