import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { Suggest } from '../form/suggest.tsx';
import { useSeenEvents, useSeenProperties } from '../names/seen-events.ts';
import classes from './condition-editor.module.css';
import { errorAt, noErrors, type RuleErrors } from './rule-errors.ts';
import { opLabels } from './rule-labels.ts';
import { fullName, propertyPrefix, type WhereRow } from './where.ts';

const ops = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'];

type Props = { event: string; where: readonly WhereRow[]; errors?: RuleErrors; onChange: (where: WhereRow[]) => void };

/** Filters on the properties of an event, with suggestions from the events of that name. */
export function WhereEditor({ event, where, errors = noErrors, onChange }: Props) {
  const events = useSeenEvents();
  const properties = useSeenProperties(events.includes(event) ? event : '');
  const set = (index: number, change: Partial<WhereRow>) => onChange(where.map((one, at) => (at === index ? { ...one, ...change } : one)));

  return (
    <div className={classes.line}>
      {where.map(({ name, op, value }, index) => {
        const error = errorAt(errors, `/${fullName(name, propertyPrefix)}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: properties have no identity except their position.
          <div key={index} className={classes.line}>
            <Suggest
              label="Property"
              placeholder="total"
              values={[...properties.keys()]}
              value={name}
              onChange={(text) => set(index, { name: text })}
              error={name === '' && error}
            />
            <NativeSelect
              aria-label="Property operator"
              data={[...new Set([...ops, op])].map((one) => ({ value: one, label: opLabels[one] ?? one }))}
              value={op}
              onChange={({ currentTarget }) => set(index, { op: currentTarget.value })}
            />
            <Suggest
              label="Property value"
              values={properties.get(name) ?? []}
              value={value}
              onChange={(text) => set(index, { value: text })}
              error={name !== '' && error}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Remove property filter"
              onClick={() => onChange(where.filter((_, at) => at !== index))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...where, { name: '', op: 'eq', value: '' }])}
      >
        Add property filter
      </Button>
    </div>
  );
}
