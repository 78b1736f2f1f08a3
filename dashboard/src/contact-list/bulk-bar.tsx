import { Button, Group, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api/api.ts';
import { type BulkJob, type BulkRequest, type Selection, useBulkJob } from '../bulk-jobs/bulk-jobs.ts';
import { RequestConfirmation } from '../bulk-jobs/request-confirmation.tsx';
import { StartWorkflow } from '../bulk-jobs/start-workflow.tsx';
import { maxUndone, undoDeletion } from '../bulk-jobs/undo-deletion.ts';
import { contactsKey } from '../contacts/contacts.ts';
import { useCreateExport } from '../exports/exports.ts';
import { useAllForms } from '../names/all-names.ts';
import { counted } from '../numbers/format-number.ts';
import { notifyUndo } from '../page/notify-undo.tsx';
import { usePermission } from '../session/permission.ts';
import { type BulkAction, BulkDialog } from './bulk-dialog.tsx';

type Props = {
  /** The selected contacts; all that match the filters if `isAll`. */
  select: Selection;
  selected: number;
  isAll: boolean;
  onAll: () => void;
  onClear: () => void;
};

const actions: Record<BulkAction, string> = {
  add_tag: 'Add tag',
  remove_tag: 'Remove tag',
  add_to_segment: 'Add to static segment',
  delete: 'Delete',
};

/** What can be done with the selected contacts. */
export function BulkBar({ select, selected, isAll, onAll, onClear }: Props) {
  const navigate = useNavigate();
  const [action, setAction] = useState<BulkAction>();
  const [progress, setProgress] = useState<BulkJob>();
  const bulk = useBulkJob(setProgress);
  const api = useApi();
  const queries = useQueryClient();
  const exporting = useCreateExport();
  const [isStarting, setStarting] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const asking = useAllForms().rows.filter(({ confirms_email }) => confirms_email);
  const whom = isAll ? 'all contacts in this list' : counted(selected, 'contact');

  // The selection and this bar are gone by then, so nothing here depends on them.
  const restore = async (job: BulkJob) => {
    try {
      notifications.show({ message: `${counted(await undoDeletion(api, job), 'contact')} restored.` });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      notifications.show({ color: 'red', title: "Couldn't restore the contacts", message });
    }
    await queries.invalidateQueries({ queryKey: contactsKey });
  };

  const report = (job: BulkJob) => {
    const failed = job.rows.failed > 0 ? ` ${counted(job.rows.failed, 'contact')} could not be changed.` : '';
    const message = `${counted(job.rows.changed, 'contact')} ${job.action === 'delete' ? 'deleted' : 'changed'}.${failed}`;
    const canUndo = job.action === 'delete' && job.rows.changed > 0 && job.rows.changed <= maxUndone;
    if (canUndo) notifyUndo(message, () => restore(job));
    else notifications.show({ message });
  };

  const start = (wanted: Omit<BulkRequest, 'select'>) =>
    bulk.mutate(
      { ...wanted, select },
      {
        onSuccess: (job) => {
          setAction(undefined);
          onClear();
          report(job);
        },
      },
    );

  const { may } = usePermission();
  const exportThem = () =>
    exporting.mutate(
      { format: 'csv', select },
      {
        onSuccess: () => void navigate({ to: '/contacts/exports' }),
        onError: (error) => notifications.show({ color: 'red', title: "Couldn't start the export", message: error.message }),
      },
    );

  const close = () => {
    setAction(undefined);
    bulk.reset();
  };

  return (
    <Group gap="sm" role="group" aria-label="Selected contacts">
      <Text size="sm" role="status">
        {isAll ? 'All contacts in this list are selected.' : `${counted(selected, 'contact')} selected.`}
      </Text>
      {!isAll && (
        <Button size="xs" variant="subtle" onClick={onAll}>
          Select all in this list
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
      <Menu position="bottom-start" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['add_tag', 'remove_tag', 'add_to_segment'] as const).map((name) => (
            <Menu.Item key={name} onClick={() => setAction(name)}>
              {actions[name]}
            </Menu.Item>
          ))}
          {may('workflows:write') && <Menu.Item onClick={() => setStarting(true)}>Enroll in a workflow…</Menu.Item>}
          {asking.length > 0 && <Menu.Item onClick={() => setAsking(true)}>Request confirmation…</Menu.Item>}
          {may('contacts:export') && <Menu.Item onClick={exportThem}>Export</Menu.Item>}
          <Menu.Item color="red" onClick={() => setAction('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isStarting && <StartWorkflow select={select} whom={whom} onClose={() => setStarting(false)} onStarted={onClear} />}
      {isAsking && <RequestConfirmation select={select} whom={whom} forms={asking} onClose={() => setAsking(false)} onSent={onClear} />}
      {action && (
        <BulkDialog
          action={action}
          select={select}
          title={`${actions[action]}: ${whom}`}
          isPending={bulk.isPending}
          done={bulk.isPending ? progress?.rows.selected : undefined}
          error={bulk.error}
          onClose={close}
          onConfirm={start}
        />
      )}
    </Group>
  );
}
