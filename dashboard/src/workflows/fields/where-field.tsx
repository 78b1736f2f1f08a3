import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { opLabels } from '../../rules/rule-labels.ts';
import { rowsOf, type WhereRow, whereOf } from '../../rules/where.ts';
import classes from './fields.module.css';
import { RowsField } from './rows-field.tsx';
import { useDraft } from './use-draft.ts';

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
  return (
    <RowsField
      label={label}
      error={error}
      rows={draft}
      onChange={setDraft}
      empty={{ name: '', op: 'eq', value: '' }}
      add="Add condition"
      remove="Remove condition"
    >
      {({ name, op, value: text }, set) => (
        <>
          <TextInput
            aria-label="Property"
            placeholder={placeholder}
            value={name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <NativeSelect
            aria-label="Operator"
            data={ops.map((one) => ({ value: one, label: opLabels[one] ?? one }))}
            value={op}
            onChange={(event) => set({ op: event.currentTarget.value })}
          />
          {op === 'exists' ? (
            <NativeSelect
              aria-label="Value"
              data={[
                { value: 'true', label: 'Yes' },
                { value: 'false', label: 'No' },
              ]}
              value={text === 'false' ? 'false' : 'true'}
              onChange={(event) => set({ value: event.currentTarget.value })}
            />
          ) : (
            <TextInput aria-label="Value" value={text} onChange={(event) => set({ value: event.currentTarget.value })} />
          )}
        </>
      )}
    </RowsField>
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
