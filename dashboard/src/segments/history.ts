import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { accountZone } from '../time/zone.ts';
import type { Segment } from './segments.ts';

export type { SegmentChange } from '@marketing-platform/sdk';

type Dated = Pick<Segment, 'id' | 'version' | 'status'>;

/** How many members the segment had on each of the last 30 days. */
export function useSizeOverTime({ id, version, status }: Dated) {
  const api = useApi();
  const timezone = accountZone();
  return useQuery({
    queryKey: ['segment-series', id, version, status, timezone],
    queryFn: ({ signal }) =>
      responseData(api.GET('/v2/segments/{id}/series', { params: { path: { id }, query: { interval: 'day', timezone } }, signal })),
  });
}

/** The contacts that entered and left, newest first. */
export function useChanges({ id, version, status }: Dated) {
  const api = useApi();
  return useList({
    queryKey: ['segment-changes', id, version, status],
    page: (at, signal) =>
      responseData(api.GET('/v2/segments/{id}/changes', { params: { path: { id }, query: { limit: 20, ...at } }, signal })),
  });
}

/** Every definition the segment has had, newest first. */
export function useVersions({ id, version, status }: Dated) {
  const api = useApi();
  return useList({
    queryKey: ['segment-versions', id, version, status],
    page: (at, signal) =>
      responseData(api.GET('/v2/segments/{id}/versions', { params: { path: { id }, query: { limit: 5, ...at } }, signal })),
  });
}
