import type { SegmentCall } from '@marketing-platform/sdk';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { SegmentCall };

/** The latest calls to the Segment-compatible API. */
export function useSegmentCalls() {
  const api = useApi();
  return useList({
    queryKey: ['leadpulse', 'segment-calls'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/segment-calls', { params: { query: at }, signal })),
    refetchInterval: 5_000,
  });
}
