import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { Picker } from '../form/picker.tsx';
import type { FormSummary } from '../forms/forms.ts';
import { counted } from '../numbers/format-number.ts';
import { type BulkJob, type Selection, useBulkJob, useCancelBulkJob } from './bulk-jobs.ts';

type Props = {
  select: Selection;
  /** Whom, such as "12 contacts". */
  whom: string;
  /** The forms that can ask. */
  forms: readonly FormSummary[];
  onClose: () => void;
  onSent: () => void;
};

/** Asks the selected contacts to confirm what they agreed to, after saying how many get the email of the form. */
export function RequestConfirmation({ select, whom, forms, onClose, onSent }: Props) {
  const [formId, setFormId] = useState('');
  const [progress, setProgress] = useState<BulkJob>();
  const dryRun = useBulkJob(() => undefined);
  const job = useBulkJob(setProgress);
  const cancellation = useCancelBulkJob();
  const wanted = (id: string) => ({ select, action: 'request_confirmation' as const, form_id: id });

  const choose = (id: string) => {
    setFormId(id);
    job.reset();
    if (id === '') dryRun.reset();
    else dryRun.mutate({ ...wanted(id), dry_run: true });
  };
  const submit = () =>
    job.mutate(wanted(formId), {
      onSuccess: ({ rows }) => {
        notifications.show({ message: `${counted(rows.changed, 'contact')} asked to confirm.` });
        onSent();
        onClose();
      },
    });

  const known = dryRun.data?.rows;
  const error = job.error ?? dryRun.error;
  return (
    <FormDialog opened onClose={onClose} title={`Request confirmation: ${whom}`}>
      <Stack gap="md">
        <Picker
          label="Form"
          options={forms.map(({ id, name }) => ({ value: id, label: name }))}
          nothing="No forms with double opt-in"
          description="Contacts get the confirmation email of this form, and are subscribed once they confirm."
          value={formId}
          onChange={choose}
        />
        <div aria-live="polite">
          {dryRun.isPending && (
            <Text size="sm" c="dimmed">
              Counting the contacts…
            </Text>
          )}
          {known && <Review rows={known} />}
          {job.isPending && (
            <Text size="sm" c="dimmed">
              {counted(progress?.rows.selected ?? 0, 'contact')} processed
            </Text>
          )}
        </div>
        {error && <ErrorAlert error={error} title="Couldn't ask the contacts" />}
        <Group justify="flex-end" gap="sm">
          {job.isPending && progress ? (
            <Button variant="default" loading={cancellation.isPending} onClick={() => cancellation.mutate(progress.id)}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          )}
          <Button disabled={!known || known.changed === 0} loading={job.isPending} onClick={submit}>
            {known ? `Ask ${counted(known.changed, 'contact')}` : 'Ask'}
          </Button>
        </Group>
      </Stack>
    </FormDialog>
  );
}

function Review({ rows }: { rows: BulkJob['rows'] }) {
  const stay = rows.unchanged === 1 ? 'stays as it is' : 'stay as they are';
  const others = [
    ...(rows.unchanged > 0 ? [`${counted(rows.unchanged, 'contact')} ${stay}: subscribed, unsubscribed, or without consent.`] : []),
    ...(rows.failed > 0
      ? [`${counted(rows.failed, 'contact')} can't get the email now, for example because an earlier email bounced.`]
      : []),
  ];
  return (
    <Stack gap={4}>
      <Text size="sm">
        <strong>{counted(rows.changed, 'contact')}</strong> {rows.changed === 1 ? 'gets' : 'get'} an email. Large numbers are spread over
        hours.
      </Text>
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {others.join(' ')}
        </Text>
      )}
    </Stack>
  );
}
