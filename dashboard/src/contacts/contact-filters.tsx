import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import classes from './contact-filters.module.css';
import { type ContactSearch, contactSearch, type FilterField, filters, isNarrowed, statuses } from './contact-search.ts';

type Props = { search: ContactSearch; onSearch: (search: ContactSearch) => void };

/** A search by the start of a name or email, or one filter with a date range. */
export function ContactFilters({ search, onSearch }: Props) {
  const [q, setQ] = useState(search.q ?? '');
  const [field, setField] = useState<FilterField>(search.field ?? 'tag');
  const [key, setKey] = useState(search.key ?? '');
  const [value, setValue] = useState(search.value ?? '');
  const [from, setFrom] = useState(search.from ?? '');
  const [to, setTo] = useState(search.to ?? '');
  const sort = search.sort && { sort: search.sort };

  const find = (event: FormEvent) => {
    event.preventDefault();
    onSearch(contactSearch({ q: q.trim() }));
  };
  const filter = (event: FormEvent) => {
    event.preventDefault();
    setQ('');
    onSearch(contactSearch({ field, key: key.trim(), value: value.trim(), from, to, ...sort }));
  };
  const clear = () => {
    for (const set of [setQ, setKey, setValue, setFrom, setTo]) set('');
    onSearch({ ...sort });
  };

  return (
    <div className={classes.filters}>
      <search>
        <form onSubmit={find}>
          <TextInput
            type="search"
            label="Search"
            placeholder="Name, email, phone or external ID"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={q}
            onChange={(event) => setQ(event.currentTarget.value)}
            rightSection={search.q !== undefined && <CloseButton size="sm" aria-label="Clear search" onClick={clear} />}
          />
        </form>
      </search>
      <form onSubmit={filter} className={classes.filter} aria-label="Filter">
        <NativeSelect
          label="Filter by"
          data={filters.map((one) => ({ value: one.field, label: one.name }))}
          value={field}
          onChange={(event) => {
            setField(filters.find((one) => one.field === event.currentTarget.value)?.field ?? field);
            setValue('');
          }}
        />
        {field === 'attribute' && (
          <TextInput label="Attribute" placeholder="plan" value={key} onChange={(event) => setKey(event.currentTarget.value)} />
        )}
        {field === 'status' ? (
          <NativeSelect label="Value" data={['', ...statuses]} value={value} onChange={(event) => setValue(event.currentTarget.value)} />
        ) : (
          <TextInput label="Value" value={value} onChange={(event) => setValue(event.currentTarget.value)} />
        )}
        <TextInput
          type="date"
          label="Created from"
          value={from}
          max={to || undefined}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Created to"
          value={to}
          min={from || undefined}
          onChange={(event) => setTo(event.currentTarget.value)}
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
