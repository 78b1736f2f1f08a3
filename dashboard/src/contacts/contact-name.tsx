import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { loadContact } from './contact-names.ts';
import { contactKey, nameOf } from './contacts.ts';

/** A contact's name by its ID. Shows the ID while the name loads, or if the contact no longer exists. */
export function ContactName({ id }: { id: string }) {
  const api = useApi();
  const { data } = useQuery({ queryKey: [...contactKey(id), 'name'], queryFn: () => loadContact(api, id), staleTime: 5 * 60_000 });
  return data ? nameOf(data) : id;
}
