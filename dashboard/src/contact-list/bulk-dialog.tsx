import { NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { BulkRequest } from '../bulk-jobs/bulk-jobs.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllSegments } from '../names/all-names.ts';
import { counted } from '../numbers/format-number.ts';
import { SeenValueField } from '../rules/seen-value-field.tsx';

export type BulkAction = 'add_tag' | 'remove_tag' | 'add_to_segment' | 'delete';

type Props = {
  action: BulkAction;
  title: string;
  isPending: boolean;
  /** How many contacts are processed so far. */
  done: number | undefined;
  error: Error | null;
  onClose: () => void;
  onConfirm: (wanted: Omit<BulkRequest, 'select'>) => void;
};

/** Asks for what an action needs, and shows its progress. */
export function BulkDialog({ action, title, isPending, done, error, onClose, onConfirm }: Props) {
  const form = useForm({ initialValues: { tag: '', segment_id: '' } });
  const segments = useAllSegments();
  const lists = segments.rows.filter(({ kind }) => kind === 'static');
  const isTagging = action === 'add_tag' || action === 'remove_tag';
  const confirm = ({ tag, segment_id }: typeof form.values) =>
    onConfirm({ action, ...(isTagging && { tag: tag.trim() }), ...(action === 'add_to_segment' && { segment_id }) });

  return (
    <FormDialog opened onClose={onClose} title={title}>
      <Form form={form} saving={{ isPending, error }} onSubmit={confirm}>
        <Stack gap="md">
          {isTagging && <SeenValueField of="tags" label="Tag" data-autofocus {...form.getInputProps('tag')} />}
          {action === 'add_to_segment' && (
            <NativeSelect
              label="Static segment"
              data={[{ value: '', label: 'Choose a segment' }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
              {...form.getInputProps('segment_id')}
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
