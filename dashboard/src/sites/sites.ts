import { useMutation, useQuery } from '@tanstack/react-query';
import { type BodyOf, responseData, useApi } from '../api/api.ts';
import type { components, paths } from '../api/schema.d.ts';

export type SiteWithSecret = components['schemas']['SiteWithSecret'];
export type NewSite = BodyOf<paths['/v2/leadpulse/sites']['post']>;

const lookMs = 2_000;

/** Whether an event of the site has arrived; asked every two seconds until one has. */
export function useFirstEvent(id: string) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['sites', id, 'first-event'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/sites/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.first_event_at ? false : lookMs),
  });
  return data?.first_event_at ?? undefined;
}

export function useCreateSite() {
  const api = useApi();
  return useMutation({
    mutationFn: (wanted: NewSite) => responseData(api.POST('/v2/leadpulse/sites', { body: wanted })),
    // The response contains a secret, so it is not cached.
    gcTime: 0,
  });
}
