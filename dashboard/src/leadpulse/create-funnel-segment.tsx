import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { counted } from '../numbers/format-number.ts';
import { usePermission } from '../session/permission.ts';
import type { ReportSearch } from './report-search.ts';
import { type FunnelResult, useCreateFunnelSegment } from './reports.ts';

type Funnel = { search: ReportSearch; steps: FunnelResult['steps'] };

/** Makes a static segment of the contacts who reached a step of the funnel, or who went no further. */
export function CreateFunnelSegment(funnel: Funnel) {
  const { mayWrite } = usePermission('segments');
  const [opened, { open, close }] = useDisclosure(false);
  if (!mayWrite) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Create segment
      </Button>
      <FormDialog opened={opened} onClose={close} title="Create a segment from this funnel">
        <FunnelSegmentForm {...funnel} onDone={close} />
      </FormDialog>
    </>
  );
}

/** The choices by their value in the form. There is no drop-off after the last step. */
const choicesOf = (steps: FunnelResult['steps']) =>
  steps.flatMap(({ step, name }, index) => [
    ...(index > 0 ? [{ value: `reached ${step}`, label: `Reached ${step}. ${name}` }] : []),
    ...(index < steps.length - 1 ? [{ value: `dropped ${step}`, label: `Dropped off after ${step}. ${name}` }] : []),
  ]);

function FunnelSegmentForm({ search, steps, onDone }: Funnel & { onDone: () => void }) {
  const navigate = useNavigate();
  const creation = useCreateFunnelSegment(search);
  const choices = choicesOf(steps);
  const form = useForm({
    initialValues: { name: '', people: choices[0]?.value ?? '' },
    validate: { name: required('Enter a name.') },
  });
  const create = ({ name, people }: typeof form.values) => {
    const [outcome, step] = people.split(' ');
    creation.mutate(
      { name: name.trim(), outcome: outcome === 'dropped' ? 'dropped' : 'reached', step: Number(step) },
      {
        onSuccess: ({ segment, added: { added, without_contact } }) => {
          onDone();
          const were = without_contact === 1 ? 'was' : 'were';
          const left = without_contact > 0 ? ` ${counted(without_contact, 'visitor')} without a contact ${were} skipped.` : '';
          notifications.show({ message: `${segment.name} has ${counted(added, 'contact')}.${left}` });
          // At this moment, the form still counts as changed.
          void navigate({ to: '/segments/$id', params: { id: segment.id }, ignoreBlocker: true });
        },
      },
    );
  };

  return (
    <Form form={form} saving={creation} onSubmit={create}>
      <Stack gap="md">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <NativeSelect
          label="People"
          description="A snapshot: the segment does not change when the funnel does."
          data={choices}
          {...form.getInputProps('people')}
        />
        <FormActions submit="Create segment" failed="Couldn't create the segment" cancel={onDone} />
      </Stack>
    </Form>
  );
}
