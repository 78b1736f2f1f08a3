import { NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type BulkRequest, type Selection, useBulkDryRun } from '../bulk-jobs/bulk-jobs.ts';
import { useStartableWorkflows } from '../bulk-jobs/startable-workflows.ts';
import type { Counts } from '../bulk-jobs/started-by.ts';
import { StartedWorkflows } from '../bulk-jobs/started-workflows.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllSegments } from '../names/all-names.ts';
import { counted } from '../numbers/format-number.ts';
import { SeenValueField } from '../rules/seen-value-field.tsx';

export type BulkAction = 'add_tag' | 'remove_tag' | 'add_to_segment' | 'delete';

type Props = {
  action: BulkAction;
  select: Selection;
  title: string;
  isPending: boolean;
  /** How many contacts are processed so far. */
  done: number | undefined;
  error: Error | null;
  onClose: () => void;
  onConfirm: (wanted: Omit<BulkRequest, 'select'>) => void;
};

const typingMs = 400;

/** For how many contacts each trigger can fire. A member of a static segment has not changed otherwise. */
const countsOf = (action: BulkAction, changed: number | undefined): Counts => ({
  ...(action !== 'add_to_segment' && { contact_updated: changed }),
  segment_entered: changed,
  segment_left: changed,
});

/** Asks for what an action needs, and shows its progress. */
export function BulkDialog({ action, select, title, isPending, done, error, onClose, onConfirm }: Props) {
  const form = useForm({ initialValues: { tag: '', segment_id: '' } });
  const segments = useAllSegments();
  const lists = segments.rows.filter(({ kind }) => kind === 'static');
  const isTagging = action === 'add_tag' || action === 'remove_tag';
  const { tag, segment_id } = form.values;
  const wanted = { action, ...(isTagging && { tag: tag.trim() }), ...(action === 'add_to_segment' && { segment_id }) };
  const [isStarting, setStarting] = useState(true);
  const { data: startable = [] } = useStartableWorkflows();
  const chosen = tag.trim() || segment_id;
  const [settled] = useDebouncedValue(chosen, typingMs);
  const asks = startable.length > 0 && chosen !== '';
  const { data: dryRun } = useBulkDryRun(asks && chosen === settled ? { ...wanted, select } : undefined);

  return (
    <FormDialog opened onClose={onClose} title={title}>
      <Form form={form} saving={{ isPending, error }} onSubmit={() => onConfirm({ ...wanted, start_workflows: isStarting })}>
        <Stack gap="md">
          {isTagging && <SeenValueField of="tags" label="Tag" data-autofocus {...form.getInputProps('tag')} />}
          {action === 'add_to_segment' && (
            <NativeSelect
              label="Static segment"
              data={[{ value: '', label: 'Choose a segment' }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
              {...form.getInputProps('segment_id')}
            />
          )}
          {asks && (
            <StartedWorkflows
              counts={countsOf(action, dryRun?.rows.changed)}
              who="Contacts that change, or enter or leave a segment,"
              unknown="Counting the runs…"
              isStarting={isStarting}
              onChange={setStarting}
            />
          )}
          {action === 'delete' && (
            <Text size="sm">The contacts are removed from every segment and get no more emails. They can be restored for 30 days.</Text>
          )}
          {done !== undefined && (
            <Text size="sm" c="dimmed" role="status">
              {counted(done, 'contact')} processed
            </Text>
          )}
          <FormActions submit={action === 'delete' ? 'Delete contacts' : 'Apply'} failed="Couldn't change the contacts" cancel={onClose} />
        </Stack>
      </Form>
    </FormDialog>
  );
}
