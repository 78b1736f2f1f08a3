import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { matches } from './matches.ts';

const limit = 5;

/**
 * The contacts, segments, campaigns and workflows with these words. Results of an earlier search stay while they match, so that
 * the list does not flicker as the user types, and what Enter runs is always a match.
 */
export function useSearchResults(q: string, typed: string) {
  const api = useApi();
  const common = { enabled: q !== '', placeholderData: keepPreviousData };
  const contacts = useQuery({
    queryKey: ['search results', 'contacts', q],
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts', { params: { query: { q, limit } }, signal })),
    ...common,
  });
  const segments = useQuery({
    queryKey: ['search results', 'segments', q],
    queryFn: ({ signal }) => responseData(api.GET('/v2/segments', { params: { query: { q, limit } }, signal })),
    ...common,
  });
  const campaigns = useQuery({
    queryKey: ['search results', 'campaigns', q],
    queryFn: ({ signal }) => responseData(api.GET('/v2/campaigns', { params: { query: { q, limit } }, signal })),
    ...common,
  });
  const workflows = useQuery({
    queryKey: ['search results', 'workflows', q],
    queryFn: ({ signal }) => responseData(api.GET('/v2/workflows', { params: { query: { q, limit } }, signal })),
    ...common,
  });
  const all = [contacts, segments, campaigns, workflows];
  const named = <Item extends { name: string }>(items: readonly Item[] = []) => items.filter(({ name }) => matches(typed, name));
  const isEmpty = q === '' || typed.trim() === '';
  return {
    contacts: isEmpty || contacts.isPlaceholderData ? [] : (contacts.data?.items ?? []),
    segments: isEmpty ? [] : named(segments.data?.items),
    campaigns: isEmpty ? [] : named(campaigns.data?.items),
    workflows: isEmpty ? [] : named(workflows.data?.items),
    isSearching: all.some(({ isFetching }) => isFetching),
    hasFailed: all.some(({ isError }) => isError),
  };
}
