import { Group, Text } from '@mantine/core';
import { IconFilter, IconMail, IconPencil, IconPlus } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ToggleChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowAction } from '../lists/row-actions.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ListViews } from '../views/list-views.tsx';
import { CreateStaticSegment } from './create-static-segment.tsx';
import { segmentSearch } from './segment-search.ts';
import { SegmentStatus } from './segment-status.tsx';
import { type Segment, useSegments } from './segments.ts';
import { StartFromExample } from './start-from-example.tsx';

const columns: readonly Column<Segment>[] = [
  {
    name: 'Segment',
    sort: 'name',
    width: 'minmax(0, 3fr)',
    cell: ({ id, name, description }) => (
      <RowLink to="/segments/$id" params={{ id }} under={description}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Kind', width: '96px', wideOnly: true, cell: ({ kind }) => (kind === 'static' ? 'Static' : 'Dynamic') },
  { name: 'Contacts', width: '104px', alignEnd: true, cell: (segment) => count(segment.count) },
  { name: 'Status', width: '120px', wideOnly: true, cell: ({ status }) => <SegmentStatus status={status} /> },
  { name: 'Created', width: '138px', wideOnly: true, sort: 'created_at', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  { name: 'Updated', width: '138px', wideOnly: true, sort: 'updated_at', cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

export function SegmentsPage() {
  const search = useSearch({ from: '/signed-in/segments' });
  const { q, sort = '-created_at', archived = 'false' } = search;
  const navigate = useNavigate();
  const { mayWrite } = usePermission('segments');
  const segments = useSegments({ ...search, sort, archived });
  const show = (change: Record<string, unknown>) => void navigate({ to: '/segments', search: segmentSearch({ ...search, ...change }) });

  return (
    <ListPage
      title="Segments"
      describes="Contacts that match your conditions, always up to date."
      action={
        mayWrite && (
          <Group gap="sm">
            <StartFromExample />
            <CreateStaticSegment />
            <ButtonLink to="/segments/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New segment
            </ButtonLink>
          </Group>
        )
      }
      of="segments"
      list={segments}
      columns={columns}
      sort={sort}
      onSort={(wanted) => show({ sort: wanted })}
      empty={<None q={q} isArchived={archived === 'true'} />}
      filters={
        <>
          <ListSearch placeholder="Search by name" q={q} onSearch={(text) => show({ q: text })} />
          <ToggleChip label="Archived" checked={archived === 'true'} onChange={(checked) => show({ archived: String(checked) })} />
        </>
      }
      views={
        <ListViews
          of="segments"
          search={search}
          isNarrowed={q !== undefined || archived === 'true'}
          parse={segmentSearch}
          onShow={(next) => void navigate({ to: '/segments', search: next })}
        />
      }
      actions={({ id, archived_at }) =>
        mayWrite &&
        archived_at === null && (
          <>
            <RowAction label="Send a campaign" to="/campaigns/new" search={{ segment: id }}>
              <IconMail size={16} stroke={1.7} aria-hidden />
            </RowAction>
            <RowAction label="Edit segment" to="/segments/$id/edit" params={{ id }}>
              <IconPencil size={16} stroke={1.7} aria-hidden />
            </RowAction>
          </>
        )
      }
    />
  );
}

function None({ q, isArchived }: { q: string | undefined; isArchived: boolean }) {
  if (q !== undefined) return <Text c="dimmed">No segments match this search.</Text>;
  return isArchived ? <Text c="dimmed">No archived segments.</Text> : <NoSegments />;
}

const NoSegments = () => {
  const { mayWrite } = usePermission('segments');
  return (
    <EmptyState title="No segments yet" icon={IconFilter} action={mayWrite && <ButtonLink to="/segments/new">Create a segment</ButtonLink>}>
      A segment contains the contacts that match your conditions, such as customers in Berlin. Send campaigns to it, or start workflows from
      it.
    </EmptyState>
  );
};
