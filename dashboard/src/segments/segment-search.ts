import type { SegmentSearch } from './segments.ts';

export const segmentSorts = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Parses the URL parameters of the segment list. */
export function segmentSearch(raw: Record<string, unknown>): SegmentSearch {
  const sort = segmentSorts.find((one) => one === raw.sort);
  const q = typeof raw.q === 'string' && raw.q !== '' ? raw.q : undefined;
  return { ...(q && { q }), ...(sort && { sort }), ...(raw.archived === 'true' && { archived: 'true' as const }) };
}
