import { Autocomplete, Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { optionsOf } from '../form/options.ts';
import { required } from '../form/required.ts';
import { EventField } from '../names/event-field.tsx';
import { useSeenTraffic } from '../names/seen-events.ts';
import { usePermission } from '../session/permission.ts';
import { useCreateGoal } from './goals.ts';

export function CreateGoal() {
  const { mayWrite } = usePermission('leadpulse');
  const [opened, { open, close }] = useDisclosure(false);
  if (!mayWrite) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Add a goal
      </Button>
      <FormDialog opened={opened} onClose={close} title="Add a goal">
        <GoalForm onDone={close} />
      </FormDialog>
    </>
  );
}

const types = { event: 'Event', page: 'Page view' } as const;

function GoalForm({ onDone }: { onDone: () => void }) {
  const form = useForm<{ name: string; type: keyof typeof types; target: string }>({
    initialValues: { name: '', type: 'event', target: '' },
    validate: { name: required('Enter a name.'), target: required('Enter an event or a page.') },
  });
  const creation = useCreateGoal();
  const add = ({ name, type, target }: typeof form.values) =>
    creation.mutate(
      { name: name.trim(), match: type === 'event' ? { event: target.trim() } : { page: target.trim() } },
      {
        onSuccess: (goal) => {
          onDone();
          notifications.show({ message: `The goal ${goal.name} was added.` });
        },
      },
    );
  const pages = useSeenTraffic('page');
  const isEvent = form.values.type === 'event';

  return (
    <Form form={form} saving={creation} paths={{ '/match/event': 'target', '/match/page': 'target' }} onSubmit={add}>
      <Stack gap="md">
        <TextInput label="Name" placeholder="Orders" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <NativeSelect label="Type" data={optionsOf(types)} {...form.getInputProps('type')} />
        {isEvent ? (
          <EventField label="Event" {...form.getInputProps('target')} value={form.values.target} />
        ) : (
          <Autocomplete
            label="Page"
            placeholder="/thank-you"
            description="/docs/* means every page below /docs/."
            autoComplete="off"
            data={[...pages]}
            limit={50}
            {...form.getInputProps('target')}
          />
        )}
        <FormActions submit="Add goal" failed="Couldn't add the goal" cancel={onDone} />
      </Stack>
    </Form>
  );
}
