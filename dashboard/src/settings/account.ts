import type { Account, ContactSettings } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { changeMyAccount } from '../session/session-query.ts';

export type { ContactSettings };

/** What the users of an account can change about it. */
export type AccountChange = Partial<
  Pick<
    Account,
    | 'name'
    | 'timezone'
    | 'session_idle_minutes'
    | 'session_lifetime_hours'
    | 'second_factor'
    | 'audit_retention_days'
    | 'single_sign_on'
    | 'installation_providers'
  >
>;

const accountKey = ['account'];
const contactSettingsKey = ['contact-settings'];

export function useAccount() {
  const api = useApi();
  return useQuery({ queryKey: accountKey, queryFn: ({ signal }) => responseData(api.GET('/v2/settings/account', { signal })) });
}

export function useChangeAccount() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: AccountChange) => responseData(api.PUT('/v2/settings/account', { body: change })),
    onSuccess: (account) => {
      queries.setQueryData(accountKey, account);
      changeMyAccount(queries, account);
    },
  });
}

export function useContactSettings() {
  const api = useApi();
  return useQuery({ queryKey: contactSettingsKey, queryFn: ({ signal }) => responseData(api.GET('/v2/contacts/settings', { signal })) });
}

export function useChangeContactSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Partial<ContactSettings>) => responseData(api.PUT('/v2/contacts/settings', { body: change })),
    onSuccess: (settings) => queries.setQueryData(contactSettingsKey, settings),
  });
}

/** Fetched only on request, and not cached. */
export function useWebhookSecret() {
  const api = useApi();
  return useMutation({ mutationFn: () => responseData(api.GET('/v2/workflows/webhook-secret')), gcTime: 0 });
}
