import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { useAllSegments } from '../names/all-names.ts';
import { useCreateSegment } from './segments.ts';

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
  const form = useForm({ initialValues: { name: '', source_segment_id: '' } });
  const segments = useAllSegments();
  const saving = useCreateSegment();
  const create = ({ name, source_segment_id }: typeof form.values) =>
    saving.mutate(
      { name, kind: 'static', ...(source_segment_id && { source_segment_id }) },
      {
        onSuccess: (segment) => {
          onDone();
          notifications.show({ message: `${segment.name} was created.` });
          void navigate({ to: '/segments/$id', params: { id: segment.id }, ignoreBlocker: true });
        },
      },
    );

  return (
    <Form form={form} saving={saving} onSubmit={create}>
      <Stack gap="md">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <NativeSelect
          label="Start with"
          description="A copy does not change when the other segment does."
          data={[
            { value: '', label: 'No contacts' },
            ...segments.rows.map((one) => ({ value: one.id, label: `The members of ${one.name}` })),
          ]}
          {...form.getInputProps('source_segment_id')}
        />
        <FormActions submit="Create segment" failed="Couldn't create the segment" cancel={onDone} />
      </Stack>
    </Form>
  );
}
