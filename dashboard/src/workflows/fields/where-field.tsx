import { ActionIcon, Button, Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { opWords } from '../../segments/rule-words.ts';
import classes from './fields.module.css';
import { useDraft } from './use-draft.ts';
import { rowsOf, type WhereRow, whereOf } from './where.ts';

type Props<Value> = {
  label: string;
  /** What the names of properties begin with, which is not shown. */
  prefix: string;
  placeholder: string;
  value: Value;
  onChange: (value: Value) => void;
  error?: ReactNode;
};

const ops = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with', 'exists'];

/** Conditions on the properties of an event or the data of a run; all must match. */
export function WhereField<Value extends Readonly<Record<string, unknown>>>({
  label,
  prefix,
  placeholder,
  value,
  onChange,
  error,
}: Props<Value>) {
  // The API validates the conditions and reports errors.
  const [draft, setDraft] = useDraft<Value, WhereRow[] | string>(value, onChange, {
    read: (where) => rowsOf(where, prefix) ?? JSON.stringify(where, null, 2),
    write: (typed) => (typeof typed === 'string' ? parsedOr(typed, value) : whereOf(typed, prefix)) as Value,
  });
  if (typeof draft === 'string') {
    return (
      <Textarea
        label={label}
        description="JSON"
        autosize
        classNames={{ input: classes.source ?? '' }}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        error={error ?? (isJson(draft) ? undefined : 'This is not valid JSON.')}
      />
    );
  }
  const set = (index: number, change: Partial<WhereRow>) => setDraft(draft.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <ul className={classes.rows}>
        {draft.map(({ name, op, value: text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity except their position.
          <li key={index} className={classes.row}>
            <TextInput
              aria-label="Property"
              placeholder={placeholder}
              value={name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
            />
            <NativeSelect
              aria-label="Operator"
              data={ops.map((one) => ({ value: one, label: opWords[one] ?? one }))}
              value={op}
              onChange={(event) => set(index, { op: event.currentTarget.value })}
            />
            {op === 'exists' ? (
              <NativeSelect
                aria-label="Value"
                data={[
                  { value: 'true', label: 'Yes' },
                  { value: 'false', label: 'No' },
                ]}
                value={text === 'false' ? 'false' : 'true'}
                onChange={(event) => set(index, { value: event.currentTarget.value })}
              />
            ) : (
              <TextInput aria-label="Value" value={text} onChange={(event) => set(index, { value: event.currentTarget.value })} />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Remove condition"
              onClick={() => setDraft(draft.filter((_, at) => at !== index))}
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
        onClick={() => setDraft([...draft, { name: '', op: 'eq', value: '' }])}
      >
        Add condition
      </Button>
    </Input.Wrapper>
  );
}

const isJson = (text: string) => parsedOr(text, undefined) !== undefined;

function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
