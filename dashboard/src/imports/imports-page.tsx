import { Group } from '@mantine/core';
import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count, share } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { moment } from '../time/relative.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ImportStatus } from './import-status.tsx';
import { type Import, isInProgress, useImports } from './imports.ts';

const columns: readonly Column<Import>[] = [
  {
    name: 'Import',
    width: 'minmax(0, 2fr)',
    cell: ({ id, created_at, dry_run, format }) => (
      <RowLink to="/contacts/imports/$id" params={{ id }} under={dry_run ? 'test run: nothing is saved' : format.toUpperCase()}>
        {moment(created_at)}
      </RowLink>
    ),
  },
  { name: 'Rows', width: '90px', alignEnd: true, wideOnly: true, cell: ({ rows }) => count(rows.read) },
  { name: 'New', width: '90px', alignEnd: true, wideOnly: true, cell: ({ rows }) => count(rows.created) },
  { name: 'Updated', width: '90px', alignEnd: true, wideOnly: true, cell: ({ rows }) => count(rows.updated) },
  { name: 'Failed', width: '84px', alignEnd: true, cell: ({ rows }) => count(rows.failed) },
  {
    name: 'Status',
    width: '140px',
    cell: ({ status, progress }) => (isInProgress(status) ? share(progress) : <ImportStatus status={status} />),
  },
  { name: 'Finished', width: '138px', wideOnly: true, cell: ({ completed_at }) => completed_at && <RelativeTime at={completed_at} /> },
];

export function ImportsPage() {
  const imports = useImports();
  const { mayWrite } = usePermission();
  return (
    <ListPage
      title="Imports"
      describes="Contact imports of the last 30 days, newest first."
      action={
        mayWrite && (
          <Group gap="sm">
            <ButtonLink to="/contacts/move-in" variant="default">
              Move in
            </ButtonLink>
            <ButtonLink to="/contacts/imports/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New import
            </ButtonLink>
          </Group>
        )
      }
      of="imports"
      list={imports}
      columns={columns}
      empty={<NoImports />}
    />
  );
}

const NoImports = () => {
  const { mayWrite } = usePermission();
  return (
    <EmptyState
      title="No imports yet"
      icon={IconFileImport}
      action={
        mayWrite && (
          <>
            <ButtonLink to="/contacts/imports/new">Import contacts</ButtonLink>
            <ButtonLink to="/contacts/move-in" variant="default">
              Move in from another system
            </ButtonLink>
          </>
        )
      }
    >
      An import adds and updates contacts from a CSV file, such as one exported from a spreadsheet or another tool.
    </EmptyState>
  );
};
