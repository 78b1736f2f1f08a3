import type { CreateSiteRequest, Site, UpdateSiteRequest } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { SiteWithSecret } from '@marketing-platform/sdk';
export type { Site };
export type NewSite = CreateSiteRequest['body'];
export type SiteChange = NonNullable<UpdateSiteRequest['body']>;

const listed = ['sites'];
const keyOf = (id: string) => [...listed, id];

const firstEventMs = 2_000;
const laterEventsMs = 10_000;

export function useSites() {
  const api = useApi();
  return useList({
    queryKey: [...listed, 'list'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/sites', { params: { query: at }, signal })),
    refetchInterval: laterEventsMs,
  });
}

/** A site with the times of its events; requested every two seconds until its first event has arrived. */
export function useSite(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/sites/{id}', { params: { path: { id } }, signal })),
    // A website that is gone does not come back.
    refetchInterval: ({ state }) => (state.error && !state.data ? false : state.data?.first_event_at ? laterEventsMs : firstEventMs),
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: listed });
}

export function useCreateSite() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (wanted: NewSite) => responseData(api.POST('/v2/leadpulse/sites', { body: wanted })),
    // The response contains a secret, so it is not cached.
    gcTime: 0,
    onSettled,
  });
}

/** Fails if the site has changed since the revision. */
export function useChangeSite({ id, revision }: Pick<Site, 'id' | 'revision'>) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (change: SiteChange) =>
      responseData(
        api.PUT('/v2/leadpulse/sites/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } }),
      ),
    onSettled,
  });
}

export function useRotateSiteKey(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/leadpulse/sites/{id}/rotate-key', { params: { path: { id } }, body: {} })),
    onSettled,
  });
}

export function useRotateSiteSecret(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/leadpulse/sites/{id}/rotate-secret', { params: { path: { id } }, body: {} })),
    gcTime: 0,
    onSettled,
  });
}

export function useDeleteSite(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/sites/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      queries.removeQueries({ queryKey: keyOf(id) });
      return queries.invalidateQueries({ queryKey: [...listed, 'list'] });
    },
  });
}
