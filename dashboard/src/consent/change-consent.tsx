import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { optionsOf } from '../form/options.ts';
import { channels, methods, statuses, useChangeConsent } from './consent.ts';
import { type ConsentDraft, consentChange } from './consent-change.ts';

/** Records a contact's consent with its evidence. */
export function ChangeConsent({ contact, label = 'Change' }: { contact: Contact; label?: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {label}
      </Button>
      <FormDialog opened={opened} onClose={close} title={`Consent of ${nameOf(contact)}`}>
        <ConsentForm contact={contact} onDone={close} />
      </FormDialog>
    </>
  );
}

const initialValues: ConsentDraft = { channel: 'email', topic: '', status: 'subscribed', method: 'form', source: '', text: '', ip: '' };

function ConsentForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const form = useForm({ initialValues });
  const update = useChangeConsent(contact);
  const { change, path } = consentChange(form.values);
  const paths = Object.fromEntries(['source', 'text', 'ip'].map((field) => [`${path}/evidence/${field}`, field]));
  const isCleared = form.values.status === '';

  return (
    <Form form={form} saving={update} paths={paths} onSubmit={() => update.mutate(change, { onSuccess: onDone })}>
      <Stack gap="md">
        <FormGrid>
          <NativeSelect label="Channel" data-autofocus data={optionsOf(channels)} {...form.getInputProps('channel')} />
          <TextInput label="Topic" placeholder="All topics" autoComplete="off" {...form.getInputProps('topic')} />
          <NativeSelect label="Status" data={[...optionsOf(statuses), { value: '', label: 'Clear' }]} {...form.getInputProps('status')} />
          <NativeSelect label="Method" disabled={isCleared} data={optionsOf(methods)} {...form.getInputProps('method')} />
        </FormGrid>
        {!isCleared && (
          <>
            <TextInput label="Source" placeholder="Newsletter form" autoComplete="off" {...form.getInputProps('source')} />
            <Textarea label="Consent text" autosize minRows={2} {...form.getInputProps('text')} />
            <TextInput label="IP address" autoComplete="off" {...form.getInputProps('ip')} />
          </>
        )}
        <FormActions submit="Save consent" failed="Couldn't save the consent" cancel={onDone} />
      </Stack>
    </Form>
  );
}
