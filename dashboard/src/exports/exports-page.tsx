import { Anchor, Text } from '@mantine/core';
import { IconDownload, IconFileExport } from '@tabler/icons-react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { bytes, count } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { Status, type Tone } from '../page/status.tsx';
import { usePermission } from '../session/permission.ts';
import { useMe } from '../session/session-query.ts';
import { moment } from '../time/relative.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { CreateExport } from './create-export.tsx';
import { type Export, formats, useExports } from './exports.ts';
import classes from './exports-page.module.css';

const tones: Record<Export['status'], Tone> = { queued: 'busy', running: 'busy', completed: 'good', failed: 'bad' };

const columns: readonly Column<Export>[] = [
  { name: 'Export', width: 'minmax(0, 1.6fr)', cell: ({ created_at }) => moment(created_at) },
  { name: 'Format', width: '130px', wideOnly: true, cell: ({ format }) => formats[format] },
  { name: 'Contacts', width: '100px', alignEnd: true, wideOnly: true, cell: ({ rows }) => count(rows) },
  {
    name: 'Status',
    width: 'minmax(120px, 1fr)',
    wideOnly: true,
    cell: ({ status, error }) => (
      <>
        <Status tone={tones[status]}>{status.slice(0, 1).toUpperCase() + status.slice(1)}</Status>
        {error && (
          <Text size="xs" c="dimmed" truncate>
            {error.message}
          </Text>
        )}
      </>
    ),
  },
  { name: 'Expires', width: '130px', wideOnly: true, cell: ({ expires_at }) => expires_at && <RelativeTime at={expires_at} /> },
  {
    name: 'File',
    width: '150px',
    alignEnd: true,
    cell: ({ download_url, bytes: size, created_at, status }) =>
      download_url ? (
        <Anchor size="sm" href={download_url} download aria-label={`Download the export of ${moment(created_at)}`} className={classes.file}>
          <IconDownload size={16} aria-hidden /> {bytes(size)}
        </Anchor>
      ) : (
        <Text span inherit c="dimmed">
          {status === 'failed' ? 'None' : 'In progress'}
        </Text>
      ),
  },
];

/** Exports of contacts as files. */
export function ExportsPage() {
  const exports = useExports();
  const { may } = usePermission();
  const { data: me } = useMe();
  const hasFiles = me?.scopes === null || may('contacts:export');
  return (
    <ListPage
      title="Exports"
      describes="Download contacts. Files are kept for 24 hours and can be re-imported."
      of="exports"
      list={exports}
      columns={hasFiles ? columns : columns.filter(({ name }) => name !== 'File')}
      empty={
        <EmptyState title="No exports yet" icon={IconFileExport}>
          An export is a file of your contacts, for a spreadsheet, another tool or your records.
        </EmptyState>
      }
      above={may('contacts:export') && <CreateExport />}
    />
  );
}
