import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { SignInDomain } from '@marketing-platform/sdk';

const queryKey = ['domains'];

/** As many as an account can have. */
const limit = 100;

export function useDomains() {
  const api = useApi();
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await responseData(api.GET('/v2/settings/domains', { params: { query: { limit } }, signal }))).items,
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey });
}

export function useAddDomain() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (domain: string) => responseData(api.POST('/v2/settings/domains', { body: { domain } })),
    onSettled,
  });
}

/** Looks for the record in the DNS. */
export function useVerifyDomain(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/settings/domains/{id}/verify', { params: { path: { id } }, body: {} })),
    onSettled,
  });
}

export function useDeleteDomain() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/settings/domains/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
