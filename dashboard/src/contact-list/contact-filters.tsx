import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { type ContactSearch, contactSearch, filters, isNarrowed, statuses } from '../contacts/contact-search.ts';
import { FieldChip } from '../lists/chips.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import { SeenValueField } from '../rules/seen-value-field.tsx';
import { dayLabel } from '../time/zone.ts';

type Props = { search: ContactSearch; onSearch: (search: ContactSearch) => void };

/** A search by the start of words, and one filter with a range of days. */
export function ContactFilters({ search, onSearch }: Props) {
  const { field, key, value, from, to } = search;
  const filter = filters.find((one) => one.field === field);
  const change = (changes: Partial<Record<keyof ContactSearch, string | undefined>>) => onSearch(contactSearch({ ...search, ...changes }));
  return (
    <>
      <ListSearch placeholder="Name, email, phone or external ID" q={search.q} onSearch={(q) => change({ q })} />
      <FieldChip
        label={filter ? (field === 'attribute' ? (key ?? filter.name) : filter.name) : 'Filter'}
        adds={!filter}
        value={filter && value}
        onClear={() => change({ field: undefined, value: undefined, key: undefined })}
      >
        {(close) => (
          <FieldFilter
            search={search}
            onApply={(applied) => {
              change(applied);
              close();
            }}
          />
        )}
      </FieldChip>
      <FieldChip
        label="Added"
        value={from || to ? [from && `from ${dayLabel(from)}`, to && `to ${dayLabel(to)}`].filter(Boolean).join(' ') : undefined}
        onClear={() => change({ from: undefined, to: undefined })}
      >
        {() => (
          <Stack gap="sm">
            <Day label="Created from" value={from} max={to} onChange={(day) => change({ from: day })} />
            <Day label="Created to" value={to} min={from} onChange={(day) => change({ to: day })} />
          </Stack>
        )}
      </FieldChip>
      {isNarrowed(search) && (
        <Button size="xs" variant="subtle" onClick={() => onSearch(contactSearch({ sort: search.sort }))}>
          Clear filters
        </Button>
      )}
    </>
  );
}

type DayProps = {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string) => void;
};

const Day = ({ label, value = '', min, max, onChange }: DayProps) => (
  <TextInput type="date" label={label} value={value} min={min} max={max} onChange={(event) => onChange(event.currentTarget.value)} />
);

type FilterProps = { search: ContactSearch; onApply: (filter: Pick<ContactSearch, 'field' | 'key' | 'value'>) => void };

function FieldFilter({ search, onApply }: FilterProps) {
  const [field, setField] = useState(search.field ?? 'tag');
  const [key, setKey] = useState(search.key ?? '');
  const [value, setValue] = useState(search.value ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply({ field, key: key.trim(), value: value.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" w={260}>
        <NativeSelect
          label="Filter by"
          data={filters.map((one) => ({ value: one.field, label: one.name }))}
          value={field}
          onChange={(event) => {
            setField(filters.find((one) => one.field === event.currentTarget.value)?.field ?? field);
            setValue('');
          }}
        />
        {field === 'attribute' && <AttributeName label="Attribute" isLabelVisible placeholder="plan" value={key} onChange={setKey} />}
        {field === 'status' ? (
          <NativeSelect
            label="Value"
            data={['', ...statuses]}
            value={value}
            onChange={(event) => {
              setValue(event.currentTarget.value);
              onApply({ field, key: '', value: event.currentTarget.value });
            }}
          />
        ) : (
          <SeenValueField
            label="Value"
            of={field === 'attribute' ? `attributes.${key}` : field === 'tag' ? 'tags' : field}
            value={value}
            onChange={setValue}
          />
        )}
        <Button type="submit">Apply</Button>
      </Stack>
    </form>
  );
}
