import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import type { Added } from '../session/second-factor.ts';
import { useAddPasskey, useBeginTotp, useConfirmTotp } from '../session/session-query.ts';
import { browserOf } from './browser-of.ts';
import { QrCode } from './qr-code.tsx';

type Props = { onAdded: (added: Added) => void; onCancel: () => void };

const submitting = (send: () => void) => (event: FormEvent) => {
  event.preventDefault();
  send();
};

function Buttons({ submit, isPending, onCancel }: { submit: string; isPending: boolean; onCancel: () => void }) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel} disabled={isPending}>
        Cancel
      </Button>
      <Button type="submit" loading={isPending}>
        {submit}
      </Button>
    </Group>
  );
}

type NameProps = { value: string; onChange: (name: string) => void };

const NameInput = ({ value, onChange }: NameProps) => (
  <TextInput
    data-autofocus
    label="Name"
    description="Tells your second factors apart."
    autoComplete="off"
    required
    withAsterisk={false}
    maxLength={100}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/** Adds an authenticator app: shows its secret once, and asks for a code that proves that the app has it. */
export function AddTotp({ onAdded, onCancel }: Props) {
  const [name, setName] = useState('Authenticator app');
  const [code, setCode] = useState('');
  const begin = useBeginTotp();
  const confirm = useConfirmTotp();
  const begun = begin.data;

  if (!begun) {
    return (
      <form onSubmit={submitting(() => begin.mutate(name))}>
        <Stack gap="md">
          <Text size="sm">An authenticator app on your phone shows a new code every 30 seconds. You enter it after your password.</Text>
          <NameInput value={name} onChange={setName} />
          {begin.error && <ErrorAlert error={begin.error} title="Couldn't add the app" />}
          <Buttons submit="Continue" isPending={begin.isPending} onCancel={onCancel} />
        </Stack>
      </form>
    );
  }
  return (
    <form onSubmit={submitting(() => confirm.mutate({ id: begun.id, code }, { onSuccess: onAdded }))}>
      <Stack gap="md">
        <Text size="sm">Scan this code with your authenticator app, or enter the key by hand. Both are shown only now.</Text>
        <QrCode text={begun.url} label="QR code for your authenticator app" />
        <CommandLine label="Key for your authenticator app">{begun.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</CommandLine>
        <TextInput
          label="Code"
          description="The six digits that the app shows now."
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          maxLength={10}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {confirm.error && <ErrorAlert error={confirm.error} title="Couldn't add the app" />}
        <Buttons submit="Add app" isPending={confirm.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

/** Adds a passkey, which the browser creates. */
export function AddPasskey({ onAdded, onCancel }: Props) {
  const [name, setName] = useState(() => browserOf(navigator.userAgent));
  const add = useAddPasskey();
  return (
    <form onSubmit={submitting(() => add.mutate(name, { onSuccess: onAdded }))}>
      <Stack gap="md">
        <Text size="sm">
          A passkey is kept by this device, your phone or a security key. If it verifies you with a PIN or a fingerprint, you sign in with
          it alone.
        </Text>
        <NameInput value={name} onChange={setName} />
        {add.error && <ErrorAlert error={add.error} title="Couldn't add the passkey" />}
        <Buttons submit="Create passkey" isPending={add.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
