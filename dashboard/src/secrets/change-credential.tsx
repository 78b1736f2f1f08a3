import { Button, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError, nestedFieldError } from '../api/request-failed.ts';
import { FormDialog } from '../form/form-dialog.tsx';

type Credential = { id: string; name: string; ip_allow: readonly string[] };
type Change = { id: string; name: string; ip_allow: string[] };
/** The mutation that saves the change. */
type Saving = {
  mutate: (change: Change, options: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: Error | null;
  reset: () => void;
};

type Props = { credential: Credential | undefined; title: string; failed: string; saving: Saving; onClose: () => void };

/** Edits the name and allowed IP addresses of a key or client. `undefined`: closed. */
export function ChangeCredential({ credential, title, failed, saving, onClose }: Props) {
  const close = () => {
    if (saving.isPending) return;
    saving.reset();
    onClose();
  };
  return (
    <FormDialog opened={credential !== undefined} onClose={close} title={title}>
      {credential && <Fields key={credential.id} credential={credential} failed={failed} saving={saving} onClose={close} />}
    </FormDialog>
  );
}

function Fields({ credential, failed, saving, onClose }: Omit<Props, 'credential' | 'title'> & { credential: Credential }) {
  const { mutate, isPending, error } = saving;
  const [name, setName] = useState(credential.name);
  const [addresses, setAddresses] = useState([...credential.ip_allow]);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate({ id: credential.id, name, ip_allow: addresses }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={save} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, '/name')}
        />
        <TagsInput
          label="Allowed IP addresses"
          description="Addresses or ranges such as 192.0.2.0/24. Press Enter after each. Leave empty to allow all."
          value={addresses}
          onChange={setAddresses}
          acceptValueOnBlur
          error={nestedFieldError(error, '/ip_allow')}
        />
        {error && !fieldError(error, '/name') && !nestedFieldError(error, '/ip_allow') && <ErrorAlert error={error} title={failed} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
