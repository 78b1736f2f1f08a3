import { Badge, Button, Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { BackLink } from '../page/page.tsx';
import { CreateSite, CreateSiteButton } from '../sites/create-site.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { touchLabel, useGoals, useVisitors, type Visitor } from './leadpulse.ts';
import { visitorSearch } from './leadpulse-search.ts';
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
  const [texts, setTexts] = useState({
    q: search.q ?? '',
    event: search.event ?? '',
    source: search.source ?? '',
    country: search.country ?? '',
  });
  const field = (name: keyof typeof texts) => ({
    value: texts[name],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => setTexts({ ...texts, [name]: value }),
  });
  const filter = (submitted: FormEvent) => {
    submitted.preventDefault();
    const { q, event, source, country } = texts;
    onSearch({ ...search, q: q.trim(), event: event.trim(), source: source.trim(), country: country.trim().toUpperCase() });
  };
  return (
    <form onSubmit={filter} className={classes.filters} aria-label="Filter">
      <TextInput label="Search" placeholder="Visitor ID or email" minLength={3} maxLength={255} {...field('q')} />
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
      <TextInput label="Event" placeholder="order_placed" {...field('event')} />
      <TextInput label="Source" placeholder="google" {...field('source')} />
      <TextInput
        label="Country"
        placeholder="DE"
        maxLength={2}
        pattern="[A-Za-z]{2}"
        title="A country code such as DE"
        {...field('country')}
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
            setTexts({ q: '', event: '', source: '', country: '' });
            onSearch({});
          }}
        >
          Clear filters
        </Button>
      )}
    </form>
  );
}
