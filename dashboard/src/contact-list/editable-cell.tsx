import { ActionIcon, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { type CellField, cellKey, cellProblem, cellText } from './cell-field.ts';
import { CellValue } from './cell-value.tsx';
import classes from './editable-cell.module.css';
import type { EditCells } from './use-edit-cells.ts';

type Props = { contact: Contact; cell: CellField; cells: EditCells };

/** A field in the list, with a button that turns it into an input. */
export function EditableCell({ contact, cell, cells: { edits, save } }: Props) {
  const key = cellKey(contact.id, cell);
  const button = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const movesFocus = useRef(false);
  const subscribe = useCallback(
    (listener: () => void) =>
      edits.subscribe(key, () => {
        // An edit that failed opens again. Its input replaces the button, and takes its focus.
        if (button.current && document.activeElement === button.current) movesFocus.current = true;
        listener();
      }),
    [edits, key],
  );
  const edit = useSyncExternalStore(subscribe, () => edits.get(key));

  useEffect(() => {
    if (!movesFocus.current) return;
    movesFocus.current = false;
    (input.current ?? button.current)?.focus();
    input.current?.select();
  });

  const name = nameOf(contact);
  const open = () => {
    movesFocus.current = true;
    edits.set(key, { base: contact, text: cellText(contact, cell) });
  };
  if (!edit)
    return (
      <span className={classes.cell}>
        <span className={classes.text}>
          <CellValue contact={contact} cell={cell} />
        </span>
        <ActionIcon
          ref={button}
          className={classes.edit}
          variant="subtle"
          color="gray"
          size={24}
          aria-label={`Edit ${cell.label} of ${name}`}
          aria-keyshortcuts="F2"
          onClick={open}
          onKeyDown={(event) => event.key === 'F2' && open()}
        >
          <IconPencil size={14} aria-hidden />
        </ActionIcon>
      </span>
    );

  const { base, text, error } = edit;
  const submit = ({ byKey }: { byKey: boolean }) => {
    const problem = cellProblem(cell, text);
    if (problem !== undefined) return edits.set(key, { base, text, error: problem });
    movesFocus.current = byKey;
    edits.remove(key);
    if (text !== cellText(base, cell)) save({ cell, base, text });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      // The button has the focus next, and this key must not press it.
      event.preventDefault();
      submit({ byKey: true });
    }
    if (event.key === 'Escape') {
      movesFocus.current = true;
      edits.remove(key);
    }
  };
  return (
    <TextInput
      ref={input}
      classNames={{ root: classes.field ?? '', error: classes.error ?? '' }}
      size="xs"
      {...('attribute' in cell && cell.type === 'number' && { inputMode: 'decimal' as const })}
      autoComplete="off"
      aria-label={`${cell.label.charAt(0).toUpperCase()}${cell.label.slice(1)} of ${name}`}
      value={text}
      onChange={(event) => edits.set(key, { base, text: event.currentTarget.value })}
      onKeyDown={onKeyDown}
      // Not when the whole window loses the focus, nor again after an error.
      onBlur={() => document.activeElement !== input.current && error === undefined && submit({ byKey: false })}
      error={error}
      errorProps={{ role: 'alert' }}
    />
  );
}
