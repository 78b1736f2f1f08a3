import type { Contact, CreateContactRequest, UpdateContactRequest } from '@marketing-platform/sdk';
import { type InfiniteData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { type PageOfList, useList } from '../lists/use-list.ts';
import { type ContactSearch, queryOf } from './contact-search.ts';

export type { Contact };
export type ContactChange = NonNullable<UpdateContactRequest['body']>;
export type NewContact = CreateContactRequest['body'];

export const contactsKey = ['contacts'];
export const contactListKey = [...contactsKey, 'list'];
export const contactKey = (id: string) => ['contact', id];

export function useContacts(search: ContactSearch) {
  const api = useApi();
  return useList({
    queryKey: [...contactListKey, search],
    page: (at, signal) => responseData(api.GET('/v2/contacts', { params: { query: { ...queryOf(search), ...at } }, signal })),
  });
}

/** The number of contacts, optionally of those created since an ISO 8601 time. */
export function useContactCount(since?: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...contactsKey, 'count', since ?? 'all'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, include: 'total_count' as const, ...(since !== undefined && { 'created_at[gte]': since }) };
      const { pagination } = await responseData(api.GET('/v2/contacts', { params: { query }, signal }));
      return pagination.total_count ?? 0;
    },
    staleTime: 60_000,
  });
}

export function useContact(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: contactKey(id),
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts/{id}', { params: { path: { id } }, signal })),
  });
}

export function useCreateContact() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewContact) => responseData(api.POST('/v2/contacts', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: contactsKey }),
  });
}

/** Replaces a contact in the lists that are loaded. */
export function updateListedContact(queries: QueryClient, id: string, change: (contact: Contact) => Contact) {
  queries.setQueriesData<InfiniteData<PageOfList<Contact>>>(
    { queryKey: contactListKey },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          items: page.items.map((contact) => (contact.id === id ? change(contact) : contact)),
        })),
      },
  );
}

/** Updates the revision that was loaded; rejected if the contact has changed since. */
export const putContact = (api: Api, { id, revision }: Contact, change: ContactChange) =>
  responseData(api.PUT('/v2/contacts/{id}', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } }));

export function useUpdateContact(base: Contact) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: ContactChange) => putContact(api, base, change),
    onSuccess: async (contact) => {
      queries.setQueryData(contactKey(base.id), contact);
      await queries.invalidateQueries({ queryKey: contactsKey });
    },
  });
}

export function useDeleteContact({ id }: Contact) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/contacts/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: contactsKey }),
  });
}

/** Restores a deleted contact. */
export function useRestoreContact({ id }: Contact) {
  const api = useApi();
  const queries = useQueryClient();
  return async () => {
    const contact = await responseData(api.POST('/v2/contacts/{id}/restore', { params: { path: { id } }, body: {} }));
    await Promise.all([queries.invalidateQueries({ queryKey: contactsKey }), queries.invalidateQueries({ queryKey: contactKey(id) })]);
    return contact;
  };
}

/** Erases the contact and everything any service stores about it. */
export function useEraseContact({ id }: Contact) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST('/v2/contacts/{id}/erase', { params: { path: { id } }, body: {} })),
    onSuccess: () => queries.invalidateQueries({ queryKey: contactsKey }),
  });
}

/** Finds a contact by ID or email address; throws if there is none. */
export async function findContact(api: Api, text: string): Promise<Contact> {
  if (text.startsWith('contact_')) return responseData(api.GET('/v2/contacts/{id}', { params: { path: { id: text } } }));
  const { items } = await responseData(api.GET('/v2/contacts', { params: { query: { email: text } } }));
  const [contact] = items;
  if (!contact) throw new Error(`No contact has the address ${text}.`);
  return contact;
}

/** A display name: the name, or else an identifier. */
export function nameOf(contact: Pick<Contact, 'id' | 'first_name' | 'last_name' | 'email' | 'phone' | 'external_id'>): string {
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
  return name || contact.email || contact.phone || contact.external_id || contact.id;
}
