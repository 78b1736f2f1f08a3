import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { optionsOf } from '../form/options.ts';
import { required } from '../form/required.ts';
import { addressOrDomain, reasons, type Suppression, suppressed, useAddSuppression } from './suppressions.ts';

export function AddSuppression({ label }: { label: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        {label}
      </Button>
      <FormDialog opened={opened} onClose={close} title="Suppress an address or a domain">
        <SuppressionForm onDone={close} />
      </FormDialog>
    </>
  );
}

function SuppressionForm({ onDone }: { onDone: () => void }) {
  const form = useForm<{ target: string; reason: Suppression['reason']; note: string }>({
    initialValues: { target: '', reason: 'manual', note: '' },
    validate: { target: required('Enter an email address or a domain.') },
  });
  const creation = useAddSuppression();
  const add = ({ target, reason, note }: typeof form.values) =>
    creation.mutate(
      { ...addressOrDomain(target.trim()), reason, ...(note.trim() && { note: note.trim() }) },
      {
        onSuccess: (suppression) => {
          onDone();
          notifications.show({ message: `${suppressed(suppression)} is now suppressed.` });
        },
      },
    );

  return (
    <Form form={form} saving={creation} paths={{ '/email': 'target', '/domain': 'target' }} onSubmit={add}>
      <Stack gap="md">
        <TextInput
          label="Email address or domain"
          placeholder="ada@example.com or example.org"
          description="A domain covers all its addresses, but not its subdomains."
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('target')}
        />
        <NativeSelect label="Reason" data={optionsOf(reasons)} {...form.getInputProps('reason')} />
        <TextInput label="Note" autoComplete="off" {...form.getInputProps('note')} />
        <FormActions submit="Suppress" failed="Couldn't add the suppression" cancel={onDone} />
      </Stack>
    </Form>
  );
}
