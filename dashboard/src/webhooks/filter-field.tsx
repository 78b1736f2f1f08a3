import { ActionIcon, Button, Input, NativeSelect, Textarea } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Suggest } from '../form/suggest.tsx';
import { isPresence } from '../rules/operators.ts';
import { opLabels } from '../rules/rule-labels.ts';
import { type FilterDraft, type FilterRow, fieldsIn } from './filter-draft.ts';
import classes from './filter-field.module.css';
import { useEventTypes } from './webhooks.ts';

const ops = [
  ...['eq', 'ne', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with'],
  ...['gt', 'gte', 'lt', 'lte', 'exists', 'missing'],
];
const maxRows = 20;
const empty: FilterRow = { field: '', op: 'eq', value: '' };

type Props = {
  /** The events that the webhook receives, whose fields are suggested. */
  events: readonly string[];
  value?: FilterDraft;
  onChange: (filter: FilterDraft) => void;
  error?: ReactNode;
};

/** Which events are sent, by their fields. A filter with nested groups is shown as JSON. */
export function FilterField({ events, value = '', onChange, error }: Props) {
  const { data } = useEventTypes();
  const isSent = (type: string) =>
    events.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
  const fields = new Map((data?.event_types ?? []).filter(({ type }) => isSent(type)).flatMap(({ example }) => [...fieldsIn(example)]));
  if (typeof value === 'string')
    return (
      <Textarea
        label="Filter"
        description="JSON, because it has nested groups: only events that match are sent."
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
    );
  const { match, rows } = value;
  const set = (index: number, change: Partial<FilterRow>) =>
    onChange({ match, rows: rows.map((row, at) => (at === index ? { ...row, ...change } : row)) });
  return (
    <Input.Wrapper label="Filter" labelElement="div" description="Optional: only events that match are sent." error={error}>
      {rows.length > 1 && (
        <NativeSelect
          className={classes.match ?? ''}
          size="xs"
          aria-label="Match all or any"
          data={[
            { value: 'all', label: 'All of these' },
            { value: 'any', label: 'Any of these' },
          ]}
          value={match}
          onChange={({ currentTarget }) => onChange({ match: currentTarget.value === 'any' ? 'any' : 'all', rows })}
        />
      )}
      <ul className={classes.rows}>
        {rows.map(({ field, op, value: text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no identity except its position.
          <li key={index} className={classes.row}>
            <Suggest
              label={`Field of condition ${index + 1}`}
              placeholder="attributes.plan"
              values={[...fields.keys()]}
              value={field}
              onChange={(name) => set(index, { field: name })}
            />
            <NativeSelect
              aria-label={`Operator of condition ${index + 1}`}
              data={[...new Set([...ops, op])].map((one) => ({ value: one, label: opLabels[one] ?? one }))}
              value={op}
              onChange={({ currentTarget }) => set(index, { op: currentTarget.value })}
            />
            {!isPresence(op) && (
              <Suggest
                label={`Value of condition ${index + 1}`}
                values={[fields.get(field) ?? ''].filter(Boolean)}
                value={text}
                onChange={(typed) => set(index, { value: typed })}
              />
            )}
            <ActionIcon
              className={classes.remove ?? ''}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove condition ${index + 1}`}
              onClick={() => onChange({ match, rows: rows.filter((_, at) => at !== index) })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {rows.length < maxRows && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange({ match, rows: [...rows, empty] })}
        >
          Add condition
        </Button>
      )}
    </Input.Wrapper>
  );
}
