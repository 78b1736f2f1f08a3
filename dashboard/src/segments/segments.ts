import type { CreateSegmentRequest, ListSegmentsRequest } from '@marketing-platform/sdk';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { SegmentMember } from '@marketing-platform/sdk';
// Derived from the client's return type: its type of recursive rules differs from the generated schema's.
export type DefinedSegment = Awaited<ReturnType<typeof readSegment>>;
export type Segment = Omit<DefinedSegment, 'warnings'>;
export type Rule = NonNullable<Segment['definition']>;
type CreateBody = CreateSegmentRequest['body'];
export type Definition = NonNullable<CreateBody['definition']>;
/** Without a definition for a static segment. */
export type NewSegment = Pick<CreateBody, 'name' | 'description' | 'kind' | 'source_segment_id'> & { definition?: Definition };
export type SegmentSearch = Pick<NonNullable<ListSegmentsRequest['query']>, 'q' | 'sort' | 'archived'>;

const listed = ['segments'];
const one = (id: string) => ['segment', id];
/** Polling interval while a segment is being built. */
const pollMs = 1_000;

/** Refetches everything that shows the segment. */
export const segmentChanged = (queries: QueryClient, id: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: one(id) }),
    ...[listed[0], 'members', 'segment-series', 'segment-changes', 'segment-versions'].map((key) =>
      queries.invalidateQueries({ queryKey: [key] }),
    ),
  ]);

const readSegment = (api: Api, id: string, signal: AbortSignal) =>
  responseData(api.GET('/v2/segments/{id}', { params: { path: { id } }, signal }));

export function useSegments(search: SegmentSearch, limit = 50) {
  const api = useApi();
  return useList({
    queryKey: [...listed, search, limit],
    page: (at, signal) => responseData(api.GET('/v2/segments', { params: { query: { limit, ...search, ...at } }, signal })),
  });
}

export function useSegment(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: one(id),
    queryFn: ({ signal }) => readSegment(api, id, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'building' ? pollMs : 15_000),
  });
}

/** What the members do not reflect yet. While this cannot be read, there is nothing to show. */
export function useBacklog({ id }: Pick<Segment, 'id'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...one(id), 'backlog'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { include: 'backlog' as const } };
      return (await responseData(api.GET('/v2/segments/{id}', { params, signal }))).backlog ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? 5_000 : 15_000),
    retry: false,
  });
}

export function useMembers({ id, status }: Pick<Segment, 'id' | 'status'>) {
  const api = useApi();
  return useList({
    queryKey: ['members', id, status],
    page: (at, signal) => responseData(api.GET('/v2/segments/{id}/contacts', { params: { path: { id }, query: at }, signal })),
  });
}

export function useCreateSegment() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewSegment) => responseData(api.POST('/v2/segments', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Updates the revision that was loaded; rejected if the segment has changed since. */
export function useUpdateSegment({ id, revision }: Pick<Segment, 'id' | 'revision'>) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ startsWorkflows, ...change }: NewSegment & { startsWorkflows: boolean }) => {
      const params = { path: { id }, query: { start_workflows: startsWorkflows ? ('true' as const) : ('false' as const) } };
      return responseData(api.PUT('/v2/segments/{id}', { params, body: change, headers: { 'if-match': `"${revision}"` } }));
    },
    onSuccess: async (segment) => {
      queries.setQueryData(one(id), segment);
      await queries.invalidateQueries({ queryKey: listed });
    },
  });
}

export function useDeleteSegment({ id }: Segment) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/segments/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}
