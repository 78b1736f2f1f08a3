import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { addressOrDomain, reasons, type Suppression, suppressed, useAddSuppression } from './suppressions.ts';

export function AddSuppression() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Suppress
      </Button>
      <FormDialog opened={opened} onClose={close} title="Suppress an address or a domain">
        <SuppressionForm onDone={close} />
      </FormDialog>
    </>
  );
}

const fields = ['/email', '/domain', '/note'];

function SuppressionForm({ onDone }: { onDone: () => void }) {
  const [who, setWho] = useState('');
  const [reason, setReason] = useState<Suppression['reason']>('manual');
  const [note, setNote] = useState('');
  const { mutate, isPending, error } = useAddSuppression();
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const wanted = { ...addressOrDomain(who.trim()), reason, ...(note.trim() && { note: note.trim() }) };
    mutate(wanted, {
      onSuccess: (suppression) => {
        onDone();
        notifications.show({ message: `${suppressed(suppression)} is now suppressed.` });
      },
    });
  };

  return (
    <form onSubmit={add} noValidate>
      <Stack gap="md">
        <TextInput
          label="Email address or domain"
          placeholder="gone@example.com or example.org"
          description="A domain covers all its addresses, but not its subdomains."
          data-autofocus
          autoComplete="off"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
          error={fieldError(error, '/email') ?? fieldError(error, '/domain')}
        />
        <NativeSelect
          label="Reason"
          data={optionsOf(reasons)}
          value={reason}
          onChange={(event) => setReason(optionIn(reasons, event.currentTarget.value) ?? reason)}
        />
        <TextInput
          label="Note"
          autoComplete="off"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          error={fieldError(error, '/note')}
        />
        {error && <ErrorAlert error={error} title="Couldn't add the suppression" shownElsewhere={fields} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Suppress
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
