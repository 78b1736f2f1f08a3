import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { components } from '../api/schema.d.ts';

export type SendingSettings = components['schemas']['CampaignSettings'];
export type SendingLimits = Pick<SendingSettings, 'quiet_hours' | 'frequency_cap'>;

const queryKey = ['campaign-settings'];

export function useSendingSettings() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/settings', { signal })) });
}

export function useChangeSendingSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (limits: SendingLimits) => responseData(api.PUT('/v2/campaigns/settings', { body: limits })),
    onSuccess: (settings) => queries.setQueryData(queryKey, settings),
  });
}
