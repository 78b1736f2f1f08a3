import { Group, Text } from '@mantine/core';
import { IconGitBranch, IconPencil, IconPlus } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChoiceChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import { ListSearch } from '../lists/list-search.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowAction } from '../lists/row-actions.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { useNames } from '../names/names.ts';
import { count } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ListViews } from '../views/list-views.tsx';
import { StartFromRecipe } from './recipes/start-from-recipe.tsx';
import { triggerLabel } from './trigger-labels.ts';
import { workflowSearch } from './workflow-search.ts';
import { capital, WorkflowStatus, workflowStatuses } from './workflow-status.tsx';
import { useWorkflows, type Workflow } from './workflows.ts';

const columnsOf = (named: (id: string) => string): readonly Column<Workflow>[] => [
  {
    name: 'Workflow',
    width: 'minmax(0, 3fr)',
    cell: ({ id, name, trigger }) => (
      <RowLink to="/workflows/$id" params={{ id }} under={triggerLabel(trigger, named)}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Status', width: '154px', cell: ({ status }) => <WorkflowStatus status={status} /> },
  { name: 'Steps', width: '80px', alignEnd: true, wideOnly: true, cell: ({ steps }) => count(steps.length) },
  { name: 'Created', width: '138px', wideOnly: true, sort: 'created_at', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
];

export function WorkflowsPage() {
  const search = useSearch({ from: '/signed-in/workflows' });
  const navigate = useNavigate();
  const workflows = useWorkflows(search);
  const { named } = useNames();
  const { mayWrite } = usePermission('workflows');
  const isNarrowed = search.q !== undefined || search.status !== undefined;
  const show = (change: Record<string, unknown>) => void navigate({ to: '/workflows', search: workflowSearch({ ...search, ...change }) });

  return (
    <ListPage
      title="Workflows"
      describes="Automated steps for each contact, with the progress of every run."
      action={
        mayWrite && (
          <Group gap="sm">
            <StartFromRecipe />
            <ButtonLink to="/workflows/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New workflow
            </ButtonLink>
          </Group>
        )
      }
      of="workflows"
      list={workflows}
      columns={columnsOf(named)}
      sort={search.sort ?? '-created_at'}
      onSort={(sort) => show({ sort })}
      empty={isNarrowed ? <Text c="dimmed">No workflows match these filters.</Text> : <NoWorkflows />}
      filters={
        (workflows.isPending || workflows.rows.length > 0 || isNarrowed) && (
          <>
            <ListSearch placeholder="Search by name" q={search.q} onSearch={(q) => show({ q })} />
            <ChoiceChip
              label="Status"
              choices={workflowStatuses.map((value) => ({ value, label: capital(value) }))}
              value={search.status}
              onChange={(status) => show({ status })}
            />
          </>
        )
      }
      views={<ListViews of="workflows" search={search} isNarrowed={isNarrowed} parse={workflowSearch} onShow={show} />}
      actions={({ id }) =>
        mayWrite && (
          <RowAction label="Edit workflow" to="/workflows/$id/edit" params={{ id }}>
            <IconPencil size={16} stroke={1.7} aria-hidden />
          </RowAction>
        )
      }
    />
  );
}

const NoWorkflows = () => {
  const { mayWrite } = usePermission('workflows');
  return (
    <EmptyState
      title="No workflows yet"
      icon={IconGitBranch}
      action={mayWrite && <ButtonLink to="/workflows/new">Create a workflow</ButtonLink>}
    >
      A workflow, such as a welcome series, reacts to what each contact does: it sends emails, waits and adds tags automatically.
    </EmptyState>
  );
};
