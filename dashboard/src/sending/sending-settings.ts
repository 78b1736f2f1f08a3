import type { UseFormReturnType } from '@mantine/form';
import type { CampaignSettings } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { changedFields } from '../form/changed-fields.ts';
import { mergedList } from './merged-list.ts';

export type SendingSettings = CampaignSettings;
export type DefaultSender = NonNullable<CampaignSettings['default_sender']>;
export type SendingFields = { form: UseFormReturnType<SendingSettings> };

const queryKey = ['campaign-settings'];

export function useSendingSettings() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/settings', { signal })) });
}

/** Whether all sending is stopped, even if by another user. */
export function useSendingPaused() {
  const api = useApi();
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/settings', { signal })),
    select: ({ sending_paused }) => sending_paused,
    refetchInterval: 60_000,
  });
}

/** Stops all sending, or resumes it. */
export function useStopSending() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sending_paused: boolean) => responseData(api.PUT('/v2/campaigns/settings', { body: { sending_paused } })),
    onSuccess: (settings) => queries.setQueryData(queryKey, settings),
  });
}

type Change = { before: SendingSettings; values: SendingSettings };

/** Saves what was changed since `before`, so that it does not undo the changes of another user. */
export function useChangeSendingSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: Change) => {
      const stored = await responseData(api.GET('/v2/campaigns/settings'));
      return responseData(api.PUT('/v2/campaigns/settings', { body: changedIn(change, stored) }));
    },
    onSuccess: (settings) => queries.setQueryData(queryKey, settings),
  });
}

function changedIn({ before, values }: Change, stored: SendingSettings): Partial<SendingSettings> {
  const changed = changedFields(before, values);
  const topics = { before: before.topics, mine: values.topics, stored: stored.topics };
  const throttles = { before: before.domain_throttles, mine: values.domain_throttles, stored: stored.domain_throttles };
  return {
    ...changed,
    ...(changed.topics && { topics: mergedList(topics, ({ id }) => id) }),
    ...(changed.domain_throttles && { domain_throttles: mergedList(throttles, ({ side, domain }) => `${side} ${domain}`) }),
  };
}
