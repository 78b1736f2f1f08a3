import type { FormSearch } from './forms.ts';

const formSorts = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Parses the URL parameters of the list of forms. */
export function formSearch(raw: Record<string, unknown>): FormSearch {
  const sort = formSorts.find((one) => one === raw.sort);
  return { ...(sort && { sort }), ...(raw.status === 'archived' && { status: 'archived' as const }) };
}
