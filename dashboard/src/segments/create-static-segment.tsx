import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllSegments, useCreateSegment } from './segments.ts';

/** Creates a static segment, empty or with the members of another one. */
export function CreateStaticSegment() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        New static segment
      </Button>
      <FormDialog opened={opened} onClose={close} title="New static segment">
        <StaticSegmentForm onDone={close} />
      </FormDialog>
    </>
  );
}

function StaticSegmentForm({ onDone }: { onDone: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const segments = useAllSegments();
  const { mutate, isPending, error } = useCreateSegment();
  const create = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    mutate(
      { name, kind: 'static', ...(source && { source_segment_id: source }) },
      {
        onSuccess: (segment) => {
          onDone();
          notifications.show({ message: `${segment.name} was created.` });
          void navigate({ to: '/segments/$id', params: { id: segment.id }, ignoreBlocker: true });
        },
      },
    );
  };

  return (
    <form onSubmit={create} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name"
          data-autofocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, '/name')}
        />
        <NativeSelect
          label="Start with"
          description="A copy does not change when the other segment does."
          data={[
            { value: '', label: 'No contacts' },
            ...segments.rows.map((one) => ({ value: one.id, label: `The members of ${one.name}` })),
          ]}
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
        />
        {error && <ErrorAlert error={error} title="Couldn't create the segment" shownElsewhere={['/name']} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Create segment
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
