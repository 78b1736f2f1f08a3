import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { contactQuery, nameOf } from './contacts.ts';

/** What somebody is called where only the id is told; the id while that is not known, and of who is no more. */
export function ContactName({ id }: { id: string }) {
  const { data } = useQuery({ ...contactQuery(useApi(), id), staleTime: 5 * 60_000 });
  return data ? nameOf(data) : id;
}
