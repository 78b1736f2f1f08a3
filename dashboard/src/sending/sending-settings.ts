import type { UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { components } from '../api/schema.d.ts';
import { isEqual } from '../json/is-equal.ts';
import { mergedList } from './merged-list.ts';

export type SendingSettings = components['schemas']['CampaignSettings'];
export type SendingFields = { form: UseFormReturnType<SendingSettings> };

const queryKey = ['campaign-settings'];

export function useSendingSettings() {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns/settings', { signal })) });
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

/** Compares values: for a form, a setting that was turned off and on again is clean, whatever is typed in its fields then. */
function changedIn({ before, values }: Change, stored: SendingSettings): Partial<SendingSettings> {
  const isChanged = (name: keyof SendingSettings) => !isEqual(values[name], before[name]);
  const topics = { before: before.topics, mine: values.topics, stored: stored.topics };
  const throttles = { before: before.domain_throttles, mine: values.domain_throttles, stored: stored.domain_throttles };
  return {
    ...(isChanged('quiet_hours') && { quiet_hours: values.quiet_hours }),
    ...(isChanged('frequency_cap') && { frequency_cap: values.frequency_cap }),
    ...(isChanged('delivered_after_hours') && { delivered_after_hours: values.delivered_after_hours }),
    ...(isChanged('topics') && { topics: mergedList(topics, ({ id }) => id) }),
    ...(isChanged('domain_throttles') && { domain_throttles: mergedList(throttles, ({ side, domain }) => `${side} ${domain}`) }),
  };
}
