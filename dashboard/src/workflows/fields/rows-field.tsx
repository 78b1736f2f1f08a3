import { ActionIcon, Button, Input } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './fields.module.css';

type Props<Row> = {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  rows: readonly Row[];
  onChange: (rows: Row[]) => void;
  /** The row that is added. */
  empty: Row;
  add: string;
  remove: string;
  children: (row: Row, set: (change: Partial<Row>) => void) => ReactNode;
};

/** Rows of inputs that are added and removed. */
export function RowsField<Row extends object>(props: Props<Row>) {
  const { label, description, error, rows, onChange, empty, add, remove, children } = props;
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error}>
      <ul className={classes.rows}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their position.
          <li key={index} className={classes.row}>
            {children(row, (change) => onChange(rows.map((one, at) => (at === index ? { ...one, ...change } : one))))}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={remove}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
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
        onClick={() => onChange([...rows, empty])}
      >
        {add}
      </Button>
    </Input.Wrapper>
  );
}
