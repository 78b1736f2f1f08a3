import type { UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { components } from '../api/schema.d.ts';

export type SendingSettings = components['schemas']['CampaignSettings'];
export type SendingFields = { form: UseFormReturnType<SendingSettings> };

const queryKey = ['campaign-settings'];

export function useSendingSettings() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/settings', { signal })) });
}

export function useChangeSendingSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (settings: Partial<SendingSettings>) => responseData(api.PUT('/v2/campaigns/settings', { body: settings })),
    onSuccess: (settings) => queries.setQueryData(queryKey, settings),
  });
}
