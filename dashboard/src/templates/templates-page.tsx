import { Group } from '@mantine/core';
import { IconPlus, IconTemplate } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { GalleryDialog } from '../lists/gallery-dialog.tsx';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { StarterList } from './starter-list.tsx';
import { type TemplateSummary, useTemplates } from './templates.ts';

const columns: readonly Column<TemplateSummary>[] = [
  {
    name: 'Template',
    width: 'minmax(0, 3fr)',
    cell: ({ id, name, subject, description }) => (
      <RowLink to="/campaigns/templates/$id" params={{ id }} under={description ?? subjectInWords(subject ?? '')}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Version', width: '90px', alignEnd: true, wideOnly: true, cell: ({ version }) => version },
  { name: 'Updated', width: '138px', wideOnly: true, cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

export function TemplatesPage() {
  const templates = useTemplates();
  const navigate = useNavigate();
  const { mayWrite } = usePermission('campaigns');
  return (
    <ListPage
      title="Templates"
      describes="Emails to start from, with all their versions."
      action={
        mayWrite && (
          <Group gap="sm">
            <GalleryDialog label="Start from an example">
              <StarterList onPick={({ id }) => void navigate({ to: '/campaigns/templates/new', search: { starter: id } })} />
            </GalleryDialog>
            <ButtonLink to="/campaigns/templates/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New template
            </ButtonLink>
          </Group>
        )
      }
      of="templates"
      list={templates}
      columns={columns}
      empty={
        <EmptyState
          title="No templates yet"
          icon={IconTemplate}
          action={mayWrite && <ButtonLink to="/campaigns/templates/new">Create a template</ButtonLink>}
        >
          A template is an email that campaigns, workflows and messages can start from.
        </EmptyState>
      }
    />
  );
}
