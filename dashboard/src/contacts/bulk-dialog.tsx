import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { counted } from '../figures/figures.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllSegments } from '../segments/segments.ts';
import type { BulkRequest } from './bulk.ts';

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
  const [tag, setTag] = useState('');
  const [segmentId, setSegmentId] = useState('');
  const segments = useAllSegments();
  const lists = segments.rows.filter(({ kind }) => kind === 'static');
  const isTagging = action === 'add_tag' || action === 'remove_tag';
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    onConfirm({ action, ...(isTagging && { tag: tag.trim() }), ...(action === 'add_to_segment' && { segment_id: segmentId }) });
  };

  return (
    <FormDialog opened onClose={onClose} title={title}>
      <form onSubmit={confirm} noValidate>
        <Stack gap="md">
          {isTagging && (
            <TextInput
              label="Tag"
              data-autofocus
              autoComplete="off"
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
              error={fieldError(error, '/tag')}
            />
          )}
          {action === 'add_to_segment' && (
            <NativeSelect
              label="Static segment"
              data={[{ value: '', label: 'Choose a segment' }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
              value={segmentId}
              onChange={(event) => setSegmentId(event.currentTarget.value)}
              error={fieldError(error, '/segment_id')}
            />
          )}
          {action === 'delete' && (
            <Text size="sm">The contacts leave every segment and get no more email. They can be restored for 30 days.</Text>
          )}
          {error && <ErrorAlert error={error} title="Couldn't change the contacts" shownElsewhere={['/tag', '/segment_id']} />}
          <Group justify="flex-end" gap="sm">
            {done !== undefined && (
              <Text size="sm" c="dimmed" role="status">
                {counted(done, 'contact')} processed
              </Text>
            )}
            <Button variant="default" onClick={onClose} disabled={isPending}>
              Cancel
            </Button>
            <Button type="submit" {...(action === 'delete' && { color: 'red' })} loading={isPending}>
              {action === 'delete' ? 'Delete contacts' : 'Apply'}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  );
}
