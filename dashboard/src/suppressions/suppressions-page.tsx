import { Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListPage } from '../lists/list-page.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import type { Column } from '../lists/list-table.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { AddSuppression } from './add-suppression.tsx';
import { RemoveSuppression } from './remove-suppression.tsx';
import { reasons, type Suppression, suppressed, suppressionSearch, useSuppressions } from './suppressions.ts';

const columns: readonly Column<Suppression>[] = [
  { name: 'Address or domain', width: 'minmax(0, 2fr)', cell: (suppression) => suppressed(suppression) },
  { name: 'Reason', width: 'minmax(0, 1fr)', cell: ({ reason }) => reasons[reason] },
  { name: 'Note', width: 'minmax(0, 1.6fr)', wideOnly: true, cell: ({ note }) => note },
  { name: 'Added', width: '138px', wideOnly: true, sort: 'created_at', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
];
const lifting: Column<Suppression> = {
  name: 'Remove',
  width: '84px',
  alignEnd: true,
  cell: (suppression) => <RemoveSuppression suppression={suppression} />,
};

export function SuppressionsPage() {
  const search = useSearch({ from: '/signed-in/contacts/suppressions' });
  const navigate = useNavigate();
  const { mayWrite } = usePermission();
  const suppressions = useSuppressions(search);
  const show = (next: Record<string, unknown>) => void navigate({ to: '/contacts/suppressions', search: suppressionSearch(next) });
  const isNarrowed = search.find !== undefined;

  return (
    <ListPage
      title="Suppressions"
      describes="Addresses and domains that never receive an email, even if subscribed. They are kept when a contact is deleted."
      action={mayWrite && <AddSuppression label="Suppress" />}
      of="suppressions"
      list={suppressions}
      columns={mayWrite ? [...columns, lifting] : columns}
      sort={search.sort ?? '-created_at'}
      onSort={(sort) => show({ ...search, sort })}
      empty={isNarrowed ? <Text c="dimmed">{search.find} is not suppressed.</Text> : <NoSuppressions />}
      filters={
        (isNarrowed || suppressions.rows.length > 0) && (
          <ListSearch placeholder="Full address or domain" q={search.find} onSearch={(find) => show({ ...search, find })} />
        )
      }
    />
  );
}

const NoSuppressions = () => {
  const { mayWrite } = usePermission();
  return (
    <EmptyState title="No suppressions yet" icon={IconBan} action={mayWrite && <AddSuppression label="Suppress an address" />}>
      Suppressed addresses never receive an email. Hard bounces and spam complaints are added automatically.
    </EmptyState>
  );
};
