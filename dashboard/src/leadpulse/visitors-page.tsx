import { Autocomplete, Badge, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ChoiceChip, FieldChip, ToggleChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { EventField } from '../names/event-field.tsx';
import { eventLabel } from '../names/event-labels.ts';
import { useSeenTraffic } from '../names/seen-events.ts';
import { count } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { CreateSite, CreateSiteButton } from '../sites/create-site.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { ListViews } from '../views/list-views.tsx';
import { useGoals } from './goals.ts';
import { valueText, visitorSearch } from './leadpulse-search.ts';
import { countryLabel, VisitorName, visitorLabel } from './visitor-name.tsx';
import { touchLabel, useVisitors, type Visitor } from './visitors.ts';

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
      filters={<VisitorFilters search={search} onSearch={show} />}
      views={<ListViews of="visitors" search={search} isNarrowed={isNarrowed} parse={visitorSearch} onShow={show} />}
    >
      <CreateSite opened={isAdding} onClose={adding.close} />
    </ListPage>
  );
}

type FiltersProps = { search: ReturnType<typeof visitorSearch>; onSearch: (search: Record<string, unknown>) => void };

const kinds = [
  { value: 'true', label: 'Contacts' },
  { value: 'false', label: 'Anonymous' },
];

function VisitorFilters({ search, onSearch }: FiltersProps) {
  const { rows: goals } = useGoals();
  const sources = useSeenTraffic('source');
  const countries = useSeenTraffic('country').filter((code) => /^[A-Z]{2}$/.test(code));
  const set = (change: Record<string, unknown>) => onSearch({ ...search, ...change });
  return (
    <>
      <ListSearch placeholder="Email or visitor ID" q={search.q} onSearch={(q) => set({ q })} />
      <ChoiceChip label="Type" choices={kinds} value={search.identified} onChange={(identified) => set({ identified })} />
      <TextChip label="Event" value={search.event} shown={search.event && eventLabel(search.event)} onChange={(event) => set({ event })}>
        {(field) => <EventField {...field} label="Event" placeholder="Any" />}
      </TextChip>
      <TextChip label="Source" value={search.source} onChange={(source) => set({ source })}>
        {(field) => <Autocomplete {...field} label="Source" placeholder="Any" autoComplete="off" data={[...sources]} limit={50} />}
      </TextChip>
      <ChoiceChip
        label="Country"
        any="Any"
        choices={[...new Set([...countries, ...(search.country === undefined ? [] : [search.country])])].map((value) => ({
          value,
          label: valueText('country', value),
        }))}
        value={search.country}
        onChange={(country) => set({ country })}
      />
      {goals.length > 0 && (
        <ChoiceChip
          label="Goal reached"
          any="Any or none"
          choices={goals.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.goal}
          onChange={(goal) => set({ goal })}
        />
      )}
      <ToggleChip
        label="Include bots"
        checked={search.include === 'bots'}
        onChange={(checked) => set({ include: checked ? 'bots' : '' })}
      />
      {Object.keys(search).length > 0 && (
        <Button size="xs" variant="subtle" onClick={() => onSearch({})}>
          Clear filters
        </Button>
      )}
    </>
  );
}

type TextChipProps = {
  label: string;
  value: string | undefined;
  /** The value in words. */
  shown?: string | undefined;
  onChange: (value: string) => void;
  children: (field: { value: string; onChange: (value: string) => void }) => ReactNode;
};

/** A filter with a text that the Enter key applies. */
const TextChip = ({ label, value, shown = value, onChange, children }: TextChipProps) => (
  <FieldChip label={label} value={shown} onClear={() => onChange('')}>
    {(close) => (
      <TextFilter
        value={value}
        onApply={(text) => {
          onChange(text);
          close();
        }}
      >
        {children}
      </TextFilter>
    )}
  </FieldChip>
);

type TextFilterProps = Pick<TextChipProps, 'value' | 'children'> & { onApply: (value: string) => void };

function TextFilter({ value = '', onApply, children }: TextFilterProps) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" w={240}>
        {children({ value: text, onChange: setText })}
        <Button type="submit">Apply</Button>
      </Stack>
    </form>
  );
}
