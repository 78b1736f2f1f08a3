import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { Picker } from '../form/picker.tsx';
import { useAllWorkflows } from '../names/all-names.ts';
import { counted } from '../numbers/format-number.ts';
import { type BulkJob, type Selection, useBulkJob, useCancelBulkJob, useEmailsPerContact } from './bulk-jobs.ts';

type Props = {
  select: Selection;
  /** Whom, such as "12 contacts". */
  whom: string;
  onClose: () => void;
  onStarted?: () => void;
};

/** From more runs, or more emails in the first hour, the dialog asks a second time. */
const maxUnasked = 1_000;

/** Starts a workflow for the selected contacts, after saying how many runs start and how many emails they send. */
export function StartWorkflow({ select, whom, onClose, onStarted }: Props) {
  const [workflowId, setWorkflowId] = useState('');
  const [progress, setProgress] = useState<BulkJob>();
  const [isAsking, setAsking] = useState(false);
  const { rows: workflows } = useAllWorkflows();
  const dryRun = useBulkJob(() => undefined);
  const job = useBulkJob(setProgress);
  const cancellation = useCancelBulkJob();
  const emails = useEmailsPerContact(workflowId);
  const active = workflows.filter(({ status }) => status === 'active');
  const wanted = (id: string) => ({ select, action: 'start_workflow' as const, workflow_id: id });

  const choose = (id: string) => {
    setWorkflowId(id);
    setAsking(false);
    job.reset();
    if (id === '') dryRun.reset();
    else dryRun.mutate({ ...wanted(id), dry_run: true });
  };
  const start = () =>
    job.mutate(wanted(workflowId), {
      onSuccess: ({ rows }) => {
        notifications.show({ message: `${counted(rows.changed, 'run')} started.` });
        onStarted?.();
        onClose();
      },
    });

  const known = dryRun.data?.rows;
  const inFirstHour = known && emails.data !== undefined ? known.changed * emails.data : undefined;
  const isLarge = Math.max(known?.changed ?? 0, inFirstHour ?? 0) > maxUnasked;
  const error = job.error ?? dryRun.error ?? emails.error;
  return (
    <FormDialog opened onClose={onClose} title={`Enroll in a workflow: ${whom}`}>
      <Stack gap="md">
        <Picker
          label="Workflow"
          options={active.map(({ id, name }) => ({ value: id, label: name }))}
          nothing="No active workflows"
          description="Only active workflows can start."
          value={workflowId}
          onChange={choose}
        />
        <div aria-live="polite">
          {dryRun.isPending && (
            <Text size="sm" c="dimmed">
              Counting the runs…
            </Text>
          )}
          {known && <Review rows={known} emails={inFirstHour} isAsking={isAsking} />}
          {job.isPending && (
            <Text size="sm" c="dimmed">
              {counted(progress?.rows.selected ?? 0, 'contact')} processed
            </Text>
          )}
        </div>
        {error && <ErrorAlert error={error} title="Couldn't start the workflow" />}
        <Group justify="flex-end" gap="sm">
          {job.isPending && progress ? (
            <Button variant="default" loading={cancellation.isPending} onClick={() => cancellation.mutate(progress.id)}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={isAsking ? () => setAsking(false) : onClose}>
              {isAsking ? 'Back' : 'Cancel'}
            </Button>
          )}
          <Button
            {...(isAsking && { color: 'red' })}
            disabled={!known || known.changed === 0 || inFirstHour === undefined}
            loading={job.isPending}
            onClick={() => (isLarge && !isAsking ? setAsking(true) : start())}
          >
            {known ? `Start ${counted(known.changed, 'run')}` : 'Start'}
          </Button>
        </Group>
      </Stack>
    </FormDialog>
  );
}

function Review({ rows, emails, isAsking }: { rows: BulkJob['rows']; emails: number | undefined; isAsking: boolean }) {
  const others = [
    ...(rows.unchanged > 0 ? [`${counted(rows.unchanged, 'contact')} can't enter again.`] : []),
    ...(rows.failed > 0 ? [`${counted(rows.failed, 'contact')} no longer ${rows.failed === 1 ? 'exists' : 'exist'}.`] : []),
  ];
  return (
    <Stack gap={4}>
      <Text size="sm">
        <strong>{counted(rows.changed, 'run')}</strong> {rows.changed === 1 ? 'starts' : 'start'} now.
        {emails !== undefined &&
          (emails === 0 ? ' No emails are sent in the first hour.' : ` Up to ${counted(emails, 'email')} in the first hour.`)}
        {isAsking && " Emails that have been sent can't be taken back."}
      </Text>
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {others.join(' ')}
        </Text>
      )}
    </Stack>
  );
}
