import { Checkbox } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Column } from '../lists/list-table.tsx';
import type { Selection } from './bulk.ts';
import { type ContactSearch, queryOf } from './contact-search.ts';
import { type Contact, nameOf } from './contacts.ts';
import classes from './use-selection.module.css';

const none: ReadonlySet<string> = new Set();

/** The contacts selected in the list: some of them, or all that match its filters. Another filter clears the selection. */
export function useSelection(search: ContactSearch) {
  const { sort: _, ...filter } = queryOf(search);
  const key = JSON.stringify(filter);
  const [state, setState] = useState<{ key: string; ids: ReadonlySet<string>; isAll: boolean }>({ key, ids: none, isAll: false });
  const { ids, isAll } = state.key === key ? state : { ids: none, isAll: false };
  const select: Selection = isAll ? { filter: JSON.parse(key) } : { ids: [...ids] };

  const column = useMemo((): Column<Contact> => {
    const toggle = (id: string, isChosen: boolean) =>
      setState((before) => {
        const next = new Set(before.key === key ? before.ids : []);
        if (isChosen) next.add(id);
        else next.delete(id);
        return { key, ids: next, isAll: false };
      });
    return {
      name: 'Select',
      width: '88px',
      cell: (contact) => (
        <Checkbox
          className={classes.choice}
          aria-label={`Select ${nameOf(contact)}`}
          checked={isAll || ids.has(contact.id)}
          onChange={(event) => toggle(contact.id, event.currentTarget.checked)}
        />
      ),
    };
  }, [key, ids, isAll]);

  return {
    column,
    select,
    selected: ids.size,
    isAll,
    selectAll: () => setState({ key, ids: none, isAll: true }),
    clear: () => setState({ key, ids: none, isAll: false }),
  };
}
