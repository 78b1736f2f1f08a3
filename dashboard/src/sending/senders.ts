import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { Sender } from '@marketing-platform/sdk';

const queryKey = ['senders'];
const maxSenders = 100;

/** The sending domains of the account. */
export function useSenders() {
  const api = useApi();
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await responseData(api.GET('/v2/campaigns/senders', { params: { query: { limit: maxSenders } }, signal }))).items,
    staleTime: 60_000,
  });
}

function useSettled() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey });
}

export function useAddSender() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (domain: string) => responseData(api.POST('/v2/campaigns/senders', { body: { domain } })),
    onSettled,
  });
}

/** Looks for the records in the DNS. */
export function useCheckSender(id: string) {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/campaigns/senders/{id}/check', { params: { path: { id } }, body: {} })),
    onSettled,
  });
}

export function useDeleteSender() {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (id: string) => responseData(api.DELETE('/v2/campaigns/senders/{id}', { params: { path: { id } } })),
    onSettled,
  });
}
