import type { AddSuppressionRequest, Suppression } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { contactsKey } from '../contacts/contacts.ts';
import { useList } from '../lists/use-list.ts';

export type { Suppression };
export type NewSuppression = AddSuppressionRequest['body'];

export const reasons: Record<Suppression['reason'], string> = {
  manual: 'Added manually',
  hard_bounce: 'Hard bounce',
  complaint: 'Complaint',
};

/** The URL parameters of the list. */
export type SuppressionSearch = { find?: string; sort?: 'created_at' | '-created_at' };

export function suppressionSearch({ find, sort }: Record<string, unknown>): SuppressionSearch {
  return {
    ...(typeof find === 'string' && find !== '' && { find }),
    ...((sort === 'created_at' || sort === '-created_at') && { sort }),
  };
}

/** A text with an @ is an address, otherwise a domain. */
export const addressOrDomain = (text: string) => (text.includes('@') ? { email: text } : { domain: text });

const listed = ['suppressions'];

/** The suppressed address or domain. After an erasure only a hash of the address is stored. */
export const suppressed = ({ email, domain }: Pick<Suppression, 'email' | 'domain'>) =>
  email ?? (domain === null ? 'Erased address' : `All addresses at ${domain}`);

export function useSuppressions({ find, sort }: SuppressionSearch) {
  const api = useApi();
  const query = { ...(find !== undefined && addressOrDomain(find)), ...(sort && { sort }) };
  return useList({
    queryKey: [...listed, query],
    page: (at, signal) => responseData(api.GET('/v2/contacts/suppressions', { params: { query: { ...query, ...at } }, signal })),
  });
}

export function useAddSuppression() {
  const api = useApi();
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: (wanted: NewSuppression) => responseData(api.POST('/v2/contacts/suppressions', { body: wanted })),
    onSuccess,
  });
}

export function useRemoveSuppression({ id }: Pick<Suppression, 'id'>) {
  const api = useApi();
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/contacts/suppressions/{id}', { params: { path: { id } } })),
    onSuccess,
  });
}

/**
 * Refetches suppressions and contacts, whose status depends on them. It does not wait, so that the caller's callbacks run before
 * its row unmounts.
 */
function useChanged() {
  const queries = useQueryClient();
  return () => {
    for (const queryKey of [listed, contactsKey, ['contact']]) void queries.invalidateQueries({ queryKey });
  };
}
