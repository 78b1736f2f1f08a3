import { Checkbox } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Selection } from '../bulk-jobs/bulk-jobs.ts';
import { type ContactSearch, queryOf } from '../contacts/contact-search.ts';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import type { Column } from '../lists/list-table.tsx';
import { between } from './selected-range.ts';
import classes from './use-selection.module.css';

const none: ReadonlySet<string> = new Set();

type State = { key: string; ids: ReadonlySet<string>; isAll: boolean };

/**
 * The contacts selected in the list: some of them, or all that match its filters. Shift selects everything from the last one that
 * was selected, and the box in the header all rows that are loaded. Another filter clears the selection.
 */
export function useSelection(search: ContactSearch, rows: readonly Contact[]) {
  const { sort: _, ...filter } = queryOf(search);
  const key = JSON.stringify(filter);
  const [state, setState] = useState<State>({ key, ids: none, isAll: false });
  const { ids, isAll } = state.key === key ? state : { ids: none, isAll: false };
  const select: Selection = isAll ? { filter: JSON.parse(key) } : { ids: [...ids] };
  /** Where a range begins: the contact that was last selected or cleared. */
  const last = useRef<string>(undefined);

  const shown = rows.map(({ id }) => id);
  const chosen = isAll ? shown.length : shown.filter((id) => ids.has(id)).length;
  const put = (changed: readonly string[], isChosen: boolean) =>
    setState((before) => {
      const next = new Set(before.key !== key ? [] : before.isAll ? shown : before.ids);
      for (const id of changed) {
        if (isChosen) next.add(id);
        else next.delete(id);
      }
      return { key, ids: next, isAll: false };
    });

  const column: Column<Contact> = {
    name: 'Select',
    width: '56px',
    head: (
      <Checkbox
        className={classes.choice}
        aria-label="Select all rows"
        checked={chosen > 0 && chosen === shown.length}
        indeterminate={chosen > 0 && chosen < shown.length}
        disabled={shown.length === 0}
        onChange={(event) => put(shown, event.currentTarget.checked)}
      />
    ),
    cell: (contact) => (
      <Checkbox
        className={classes.choice}
        aria-label={`Select ${nameOf(contact)}`}
        checked={isAll || ids.has(contact.id)}
        onChange={({ currentTarget: { checked }, nativeEvent }) => {
          const isRange = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
          put(isRange ? between(shown, last.current ?? contact.id, contact.id) : [contact.id], checked);
          last.current = contact.id;
        }}
        // With Shift, browsers would also select the text from the last click to this one.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      />
    ),
  };

  return {
    column,
    select,
    selected: ids.size,
    isAll,
    selectAll: () => setState({ key, ids: none, isAll: true }),
    clear: () => setState({ key, ids: none, isAll: false }),
  };
}
