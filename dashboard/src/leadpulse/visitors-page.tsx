import { Autocomplete, Badge, Button, Checkbox, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { EventField } from '../names/event-field.tsx';
import { useSeenTraffic } from '../names/seen-events.ts';
import { count } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { BackLink } from '../page/page.tsx';
import { CreateSite, CreateSiteButton } from '../sites/create-site.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { touchLabel, useGoals, useVisitors, type Visitor } from './leadpulse.ts';
import { valueText, visitorSearch } from './leadpulse-search.ts';
import { countryLabel, VisitorName, visitorLabel } from './visitor-name.tsx';
import classes from './visitors-page.module.css';

const columns: readonly Column<Visitor>[] = [
  {
    name: 'Visitor',
    width: 'minmax(0, 2fr)',
    cell: (visitor) => (
      <RowLink
        to="/leadpulse/visitors/$id"
        params={{ id: visitor.id }}
        under={[visitor.contact_id && visitorLabel(visitor), countryLabel(visitor.country)].filter(Boolean).join(', ')}
      >
        <VisitorName visitor={visitor} />{' '}
        {visitor.bot && (
          <Badge size="xs" variant="default">
            Bot
          </Badge>
        )}
      </RowLink>
    ),
  },
  { name: 'Source', width: 'minmax(0, 1.2fr)', wideOnly: true, cell: ({ first_touch }) => touchLabel(first_touch) },
  { name: 'Visits', width: '80px', alignEnd: true, wideOnly: true, cell: ({ sessions }) => count(sessions) },
  { name: 'Page views', width: '110px', alignEnd: true, wideOnly: true, cell: ({ pageviews }) => count(pageviews) },
  { name: 'Last seen', width: '138px', cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} /> },
];

export function VisitorsPage() {
  const search = useSearch({ from: '/signed-in/leadpulse/visitors' });
  const navigate = useNavigate();
  const visitors = useVisitors(search);
  const [isAdding, adding] = useDisclosure(false);
  const isNarrowed = Object.keys(search).length > 0;
  const show = (next: Record<string, unknown>) => void navigate({ to: '/leadpulse/visitors', search: visitorSearch(next) });

  return (
    <ListPage
      title="Visitors"
      describes={search.contact_id === undefined ? 'Most recent first.' : 'Visitors linked to one contact.'}
      back={<BackLink to="/leadpulse">LeadPulse</BackLink>}
      of="visitors"
      list={visitors}
      columns={columns}
      empty={
        isNarrowed ? (
          <Text c="dimmed">No visitors match these filters.</Text>
        ) : (
          <EmptyState title="No visitors yet" icon={IconActivity} action={<CreateSiteButton onClick={adding.open} />}>
            A visitor is a browser that has opened one of your pages. To see your visitors, add LeadPulse to your website.
          </EmptyState>
        )
      }
      above={<VisitorFilters search={search} onSearch={show} />}
    >
      <CreateSite opened={isAdding} onClose={adding.close} />
    </ListPage>
  );
}

type FiltersProps = { search: ReturnType<typeof visitorSearch>; onSearch: (search: Record<string, unknown>) => void };

const allGoals = 'Any or none';

function VisitorFilters({ search, onSearch }: FiltersProps) {
  const { rows: goals } = useGoals();
  const [texts, setTexts] = useState({ q: search.q ?? '', event: search.event ?? '', source: search.source ?? '' });
  const set = (name: keyof typeof texts) => (value: string) => setTexts({ ...texts, [name]: value });
  const sources = useSeenTraffic('source');
  const countries = useSeenTraffic('country').filter((code) => /^[A-Z]{2}$/.test(code));
  const chosen = search.country;
  const filter = (submitted: FormEvent) => {
    submitted.preventDefault();
    const { q, event, source } = texts;
    onSearch({ ...search, q: q.trim(), event: event.trim(), source: source.trim() });
  };
  return (
    <form onSubmit={filter} className={classes.filters} aria-label="Filter">
      <TextInput
        label="Search"
        placeholder="Email or visitor ID"
        minLength={3}
        maxLength={255}
        value={texts.q}
        onChange={({ currentTarget: { value } }) => set('q')(value)}
      />
      <NativeSelect
        label="Type"
        data={[
          { value: '', label: 'All visitors' },
          { value: 'true', label: 'Contacts' },
          { value: 'false', label: 'Anonymous' },
        ]}
        value={search.identified ?? ''}
        onChange={({ currentTarget: { value } }) => onSearch({ ...search, identified: value })}
      />
      <EventField label="Event" placeholder="Any" value={texts.event} onChange={set('event')} />
      <Autocomplete
        label="Source"
        placeholder="Any"
        autoComplete="off"
        data={[...sources]}
        limit={50}
        value={texts.source}
        onChange={set('source')}
      />
      <Select
        label="Country"
        placeholder="Any"
        searchable
        clearable
        limit={100}
        data={[...new Set([...countries, ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
          value,
          label: valueText('country', value),
        }))}
        value={chosen ?? null}
        onChange={(country) => onSearch({ ...search, country })}
      />
      {goals.length > 0 && (
        <NativeSelect
          label="Goal reached"
          data={[{ value: '', label: allGoals }, ...goals.map(({ id, name }) => ({ value: id, label: name }))]}
          value={search.goal ?? ''}
          onChange={({ currentTarget: { value } }) => onSearch({ ...search, goal: value })}
        />
      )}
      <Checkbox
        label="Include bots"
        checked={search.include === 'bots'}
        onChange={({ currentTarget: { checked } }) => onSearch({ ...search, include: checked ? 'bots' : '' })}
      />
      <Button type="submit" variant="default">
        Filter
      </Button>
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          onClick={() => {
            setTexts({ q: '', event: '', source: '' });
            onSearch({});
          }}
        >
          Clear filters
        </Button>
      )}
    </form>
  );
}
