import { useQuery } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';

const query = { limit: 1 };

/** One item of a list is enough to know that a step is done. */
function useHas(step: string, list: (api: Api, signal: AbortSignal) => Promise<{ items: readonly unknown[] }>, enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['first-steps', step],
    queryFn: async ({ signal }) => (await list(api, signal)).items.length > 0,
    enabled,
    // A step that was done elsewhere is seen when the user returns.
    staleTime: 0,
  });
}

/** Which of the first steps are done, from what the account has; undefined until it is known, or if it could not be loaded. */
export function useFirstSteps({ enabled, seesSettings }: { enabled: boolean; seesSettings: boolean }) {
  const contacts = useHas('contacts', (api, signal) => responseData(api.GET('/v2/contacts', { params: { query }, signal })), enabled);
  const tested = useHas('email', (api, signal) => responseData(api.GET('/v2/campaigns/messages', { params: { query }, signal })), enabled);
  const sent = useHas(
    'campaign',
    (api, signal) => responseData(api.GET('/v2/campaigns', { params: { query: { ...query, status: 'sent' } }, signal })),
    enabled,
  );
  const visit = useHas('visit', (api, signal) => responseData(api.GET('/v2/leadpulse/visitors', { params: { query }, signal })), enabled);
  const workflow = useHas('workflow', (api, signal) => responseData(api.GET('/v2/workflows', { params: { query }, signal })), enabled);
  const domain = useHas(
    'domain',
    async (api, signal) => {
      const { items } = await responseData(api.GET('/v2/campaigns/senders', { params: { query: { limit: 100 } }, signal }));
      return { items: items.filter(({ status }) => status === 'verified') };
    },
    enabled && seesSettings,
  );
  const brand = useHas(
    'brand',
    async (api, signal) => {
      const { company_name, logo_url } = await responseData(api.GET('/v2/campaigns/brand', { signal }));
      return { items: [company_name, logo_url].filter((one) => one !== null) };
    },
    enabled && seesSettings,
  );
  const key = useHas(
    'key',
    (api, signal) => responseData(api.GET('/v2/settings/api-keys', { params: { query }, signal })),
    enabled && seesSettings,
  );
  const email = tested.data === undefined || sent.data === undefined ? undefined : tested.data || sent.data;
  return {
    ...{ contacts: contacts.data, email, visit: visit.data, workflow: workflow.data },
    ...{ domain: domain.data, brand: brand.data, key: key.data },
    isLoading: [contacts, tested, sent, visit, workflow, domain, brand, key].some((query) => query.isLoading),
  };
}
