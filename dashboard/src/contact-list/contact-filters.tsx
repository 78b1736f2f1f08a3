import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { type ContactSearch, contactSearch, filters, isNarrowed, statuses } from '../contacts/contact-search.ts';
import { isEqual } from '../json/is-equal.ts';
import { ListSearch } from '../lists/list-search.tsx';
import { SeenValueField } from '../rules/seen-value-field.tsx';
import classes from './contact-filters.module.css';

type Props = { search: ContactSearch; onSearch: (search: ContactSearch) => void };

const filterOf = ({ field = 'tag', key = '', value = '', from = '', to = '' }: ContactSearch) => ({ field, key, value, from, to });

/** A search by the start of words, and one filter with a date range. */
export function ContactFilters({ search, onSearch }: Props) {
  const [applied, setApplied] = useState(filterOf(search));
  const [filter, setFilter] = useState(applied);
  if (!isEqual(applied, filterOf(search))) {
    setApplied(filterOf(search));
    setFilter(filterOf(search));
  }
  const { field, key, value, from, to } = filter;
  const set = (change: Partial<typeof filter>) => setFilter({ ...filter, ...change });
  const { q, sort } = search;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(contactSearch({ q, sort, ...filter, key: key.trim(), value: value.trim() }));
  };
  const clear = () => {
    setFilter(filterOf({}));
    onSearch(contactSearch({ sort }));
  };

  return (
    <div className={classes.filters}>
      <ListSearch
        placeholder="Name, email, phone or external ID"
        q={q}
        onSearch={(text) => onSearch(contactSearch({ ...search, q: text }))}
      />
      <form onSubmit={submit} className={classes.filter} aria-label="Filter">
        <NativeSelect
          label="Filter by"
          data={filters.map((one) => ({ value: one.field, label: one.name }))}
          value={field}
          onChange={(event) => set({ field: filters.find((one) => one.field === event.currentTarget.value)?.field ?? field, value: '' })}
        />
        {field === 'attribute' && (
          <AttributeName label="Attribute" isLabelVisible placeholder="plan" value={key} onChange={(name) => set({ key: name })} />
        )}
        {field === 'status' ? (
          <NativeSelect
            label="Value"
            data={['', ...statuses]}
            value={value}
            onChange={(event) => set({ value: event.currentTarget.value })}
          />
        ) : (
          <SeenValueField
            label="Value"
            of={field === 'attribute' ? `attributes.${key}` : field === 'tag' ? 'tags' : field}
            value={value}
            onChange={(text) => set({ value: text })}
          />
        )}
        <TextInput
          type="date"
          label="Created from"
          value={from}
          max={to || undefined}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label="Created to"
          value={to}
          min={from || undefined}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
        {isNarrowed(search) && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </form>
    </div>
  );
}
