import { ActionIcon, Autocomplete, Button, Input, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './fields.module.css';
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
  error?: ReactNode;
};

/** Names with values. A row without a name is not part of the value. */
export function PairsField<Value>(props: Props<Value>) {
  const { label, description, nameLabel, valueLabel, add, value, onChange, read, write, suggestions = [], error } = props;
  const [rows, setRows] = useDraft<Readonly<Record<string, Value>>, Row<Value>[]>(value, (changed) => onChange({ ...changed }), {
    read: (pairs) => Object.entries(pairs).map(([name, one]) => ({ name, value: read(one), was: one })),
    write: (typed) =>
      Object.fromEntries(
        typed
          .filter(({ name }) => name.trim() !== '')
          .map(({ name, value: text, was }) => [name.trim(), was !== undefined && read(was) === text ? was : write(text, name.trim())]),
      ),
  });
  const set = (index: number, change: Partial<Row<Value>>) => setRows(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  const labelOf = (name: string) => suggestions.find((one) => one.value === name)?.label ?? name;
  const nameOf = (words: string) => suggestions.find((one) => one.label === words)?.value ?? words;
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error}>
      <ul className={classes.rows}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their position.
          <li key={index} className={classes.row}>
            <Autocomplete
              aria-label={nameLabel}
              placeholder={nameLabel}
              data={[...new Set(suggestions.map((one) => one.label))]}
              limit={50}
              value={labelOf(row.name)}
              onChange={(name) => set(index, { name: nameOf(name) })}
            />
            <TextInput
              aria-label={valueLabel}
              placeholder={valueLabel}
              value={row.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Remove"
              onClick={() => setRows(rows.filter((_, at) => at !== index))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => setRows([...rows, { name: '', value: '' }])}
      >
        {add}
      </Button>
    </Input.Wrapper>
  );
}
