import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { loadContact } from './contact-names.ts';
import { contactKey, nameOf } from './contacts.ts';

/** A contact's name by its ID. Shows the ID if the contact no longer exists. */
export function ContactName({ id }: { id: string }) {
  const api = useApi();
  const { data, isPending } = useQuery({
    queryKey: [...contactKey(id), 'name'],
    queryFn: () => loadContact(api, id),
    staleTime: 5 * 60_000,
  });
  return isPending ? '…' : data ? nameOf(data) : id;
}
