import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { loadContact } from './contact-names.ts';
import { contactKey, nameOf } from './contacts.ts';

/** The name of a contact where only its id is known; the id while it loads, and when the contact no longer exists. */
export function ContactName({ id }: { id: string }) {
  const api = useApi();
  const { data } = useQuery({ queryKey: [...contactKey(id), 'name'], queryFn: () => loadContact(api, id), staleTime: 5 * 60_000 });
  return data ? nameOf(data) : id;
}
