import { Autocomplete, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { SeenValueField } from '../../rules/seen-value-field.tsx';
import { RowsField } from './rows-field.tsx';
import { useDraft } from './use-draft.ts';

/** `was` is the value that the text was read from: it is kept as it is until the text changes. */
type Row<Value> = { name: string; value: string; was?: Value };
type Props<Value> = {
  label: string;
  description?: ReactNode;
  nameLabel: string;
  valueLabel: string;
  add: string;
  value: Readonly<Record<string, Value>>;
  onChange: (value: Record<string, Value>) => void;
  /** The value that a text means, and the text of a value. */
  read: (value: Value) => string;
  write: (text: string, name: string) => Value;
  suggestions?: readonly { value: string; label: string }[];
  /** Suggests the values that contacts have in the field of the row. */
  suggestsValues?: boolean;
  error?: ReactNode;
};

/** Names with values. A row without a name is not part of the value. */
export function PairsField<Value>(props: Props<Value>) {
  const {
    label,
    description,
    nameLabel,
    valueLabel,
    add,
    value,
    onChange,
    read,
    write,
    suggestions = [],
    suggestsValues = false,
    error,
  } = props;
  const [rows, setRows] = useDraft<Readonly<Record<string, Value>>, Row<Value>[]>(value, (changed) => onChange({ ...changed }), {
    read: (pairs) => Object.entries(pairs).map(([name, one]) => ({ name, value: read(one), was: one })),
    write: (typed) =>
      Object.fromEntries(
        typed
          .filter(({ name }) => name.trim() !== '')
          .map(({ name, value: text, was }) => [name.trim(), was !== undefined && read(was) === text ? was : write(text, name.trim())]),
      ),
  });
  const labelOf = (name: string) => suggestions.find((one) => one.value === name)?.label ?? name;
  const nameOf = (words: string) => suggestions.find((one) => one.label === words)?.value ?? words;
  return (
    <RowsField
      label={label}
      description={description}
      error={error}
      rows={rows}
      onChange={setRows}
      empty={{ name: '', value: '' }}
      add={add}
      remove="Remove"
    >
      {(row, set) => (
        <>
          <Autocomplete
            aria-label={nameLabel}
            placeholder={nameLabel}
            data={[...new Set(suggestions.map((one) => one.label))]}
            limit={50}
            value={labelOf(row.name)}
            onChange={(name) => set({ name: nameOf(name) })}
          />
          {suggestsValues ? (
            <SeenValueField
              of={row.name}
              aria-label={valueLabel}
              placeholder={valueLabel}
              value={row.value}
              onChange={(text) => set({ value: text })}
            />
          ) : (
            <TextInput
              aria-label={valueLabel}
              placeholder={valueLabel}
              value={row.value}
              onChange={(event) => set({ value: event.currentTarget.value })}
            />
          )}
        </>
      )}
    </RowsField>
  );
}
