import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { type Contact, contactKey, contactsKey, findContact } from '../contacts/contacts.ts';
import { timelineKey } from '../timeline/timeline.ts';

export type { Merge } from '@marketing-platform/sdk';

const mergesKey = (contactId: string) => ['merges', contactId];

/** The merges into a contact, newest first. */
export function useMerges(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: mergesKey(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts/{id}/merges', { params: { path: { id } }, signal })),
  });
}

/** Finds the contact with an email address or an ID. */
export function useFindContact() {
  const api = useApi();
  return useMutation({ mutationFn: (text: string) => findContact(api, text) });
}

export function useMerge(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (source: Pick<Contact, 'id'>) =>
      responseData(api.POST('/v2/contacts/{id}/merge', { params: { path: { id } }, body: { source_id: source.id } })),
    onSettled,
  });
}

export function useUndoMerge(id: string) {
  const api = useApi();
  const onSettled = useSettled(id);
  return useMutation({
    mutationFn: (merge_id: string) =>
      responseData(api.POST('/v2/contacts/{id}/merges/{merge_id}/undo', { params: { path: { id, merge_id } }, body: {} })),
    onSettled,
  });
}

/**
 * Refetches everything about the contact, after success and failure. It does not wait, so that the caller's callbacks run before
 * its component unmounts.
 */
function useSettled(id: string) {
  const queries = useQueryClient();
  return () => {
    for (const queryKey of [contactsKey, contactKey(id), mergesKey(id), timelineKey(id)]) void queries.invalidateQueries({ queryKey });
  };
}
