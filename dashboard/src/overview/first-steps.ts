import { useQuery } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';

const query = { limit: 1 };

/** One item of a list is enough to know that a step is done. */
function useHas(step: string, list: (api: Api, signal: AbortSignal) => Promise<{ items: readonly unknown[] }>, enabled: boolean) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['first-steps', step],
    queryFn: async ({ signal }) => (await list(api, signal)).items.length > 0,
    enabled,
    // A step that was done elsewhere is seen when the user returns.
    staleTime: 0,
  });
  return data;
}

/** Which of the first steps are done, from what the account has; undefined until it is known. */
export function useFirstSteps({ enabled, isAdmin }: { enabled: boolean; isAdmin: boolean }) {
  const contacts = useHas('contacts', (api, signal) => responseData(api.GET('/v2/contacts', { params: { query }, signal })), enabled);
  const tested = useHas('email', (api, signal) => responseData(api.GET('/v2/campaigns/messages', { params: { query }, signal })), enabled);
  const sent = useHas(
    'campaign',
    (api, signal) => responseData(api.GET('/v2/campaigns', { params: { query: { ...query, status: 'sent' } }, signal })),
    enabled,
  );
  const visit = useHas('visit', (api, signal) => responseData(api.GET('/v2/leadpulse/visitors', { params: { query }, signal })), enabled);
  const workflow = useHas('workflow', (api, signal) => responseData(api.GET('/v2/workflows', { params: { query }, signal })), enabled);
  const key = useHas(
    'key',
    (api, signal) => responseData(api.GET('/v2/settings/api-keys', { params: { query }, signal })),
    enabled && isAdmin,
  );
  const email = tested === undefined || sent === undefined ? undefined : tested || sent;
  return { contacts, email, visit, workflow, key };
}
