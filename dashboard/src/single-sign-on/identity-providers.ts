import type { CreateIdentityProviderRequest, IdentityProvider, UpdateIdentityProviderRequest } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { IdentityProvider };
export type NewIdentityProvider = CreateIdentityProviderRequest['body'];
export type IdentityProviderChange = UpdateIdentityProviderRequest['body'];

const queryKey = ['identity-providers'];

/** More than an account can have. */
const limit = 100;

export function useIdentityProviders() {
  const api = useApi();
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await responseData(api.GET('/v2/settings/identity-providers', { params: { query: { limit } }, signal }))).items,
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey });
}

export function useCreateIdentityProvider() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (wanted: NewIdentityProvider) => responseData(api.POST('/v2/settings/identity-providers', { body: wanted })),
    gcTime: 0,
    onSettled,
  });
}

export function useChangeIdentityProvider(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (change: IdentityProviderChange) =>
      responseData(api.PUT('/v2/settings/identity-providers/{id}', { params: { path: { id } }, body: change })),
    gcTime: 0,
    onSettled,
  });
}

export function useDeleteIdentityProvider() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/settings/identity-providers/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
