import { useWholeList } from '../lists/use-whole-list.ts';
import { useAllSegments } from '../names/all-names.ts';
import { useTemplates } from '../templates/templates.ts';

export const allContacts = 'All contacts';

/** The names of what a draft refers to, by ID. */
export function useDraftNames() {
  const segments = useAllSegments();
  const templates = useWholeList(useTemplates('name'));
  const names = new Map([...segments.rows, ...templates.rows].map(({ id, name }) => [id, name]));
  return (id: string) => (id === 'all' ? allContacts : (names.get(id) ?? id));
}
