import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import { usePermission } from '../session/permission.ts';

/** As many as the API returns at once: each hook below loads all of them. */
const limit = 100;

export function useAllSegments() {
  const api = useApi();
  const list = useList({
    queryKey: ['segments', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/segments', { params: { query: { limit, ...at } }, signal })),
  });
  return useWholeList(list);
}

export function useAllCampaigns() {
  const api = useApi();
  const list = useList({
    queryKey: ['campaigns', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/campaigns', { params: { query: { limit, ...at } }, signal })),
  });
  return useWholeList(list);
}

export function useAllForms() {
  const api = useApi();
  const list = useList({
    queryKey: ['forms', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/contacts/forms', { params: { query: { limit, ...at } }, signal })),
  });
  return useWholeList(list);
}

export function useAllTemplates(enabled = true) {
  const api = useApi();
  const list = useList({
    queryKey: ['templates', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/campaigns/templates', { params: { query: { limit, ...at } }, signal })),
    enabled,
  });
  return useWholeList(list);
}

export function useAllWorkflows(enabled = true) {
  const api = useApi();
  const list = useList({
    queryKey: ['workflows', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/workflows', { params: { query: { limit, ...at } }, signal })),
    enabled,
  });
  return useWholeList(list);
}

/** The users of the account; only admins may list them. */
export function useAllUsers(enabled = true) {
  const api = useApi();
  const { seesSettings } = usePermission();
  const list = useList({
    queryKey: ['users', 'names'],
    page: (at, signal) => responseData(api.GET('/v2/settings/users', { params: { query: { limit, ...at } }, signal })),
    enabled: enabled && seesSettings,
  });
  return useWholeList(list);
}
