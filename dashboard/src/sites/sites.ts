import { useMutation } from '@tanstack/react-query';
import { type BodyOf, responseData, useApi } from '../api/api.ts';
import type { components, paths } from '../api/schema.d.ts';

export type SiteWithSecret = components['schemas']['SiteWithSecret'];
export type NewSite = BodyOf<paths['/v2/leadpulse/sites']['post']>;

export function useCreateSite() {
  const api = useApi();
  return useMutation({
    mutationFn: (wanted: NewSite) => responseData(api.POST('/v2/leadpulse/sites', { body: wanted })),
    // The response contains a secret, so it is not cached.
    gcTime: 0,
  });
}
