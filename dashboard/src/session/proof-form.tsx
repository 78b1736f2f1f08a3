import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { hasPasskeys } from './passkey.ts';
import type { Proof } from './second-factor.ts';

const inputs = {
  totp: { label: 'Code', description: 'The six digits that your authenticator app shows.', use: 'Use your authenticator app' },
  recovery_code: { label: 'Recovery code', description: 'Each code works once.', use: 'Use a recovery code' },
  current_password: { label: 'Password', description: undefined, use: 'Use your password' },
} as const;
type Typed = keyof typeof inputs;

const isTyped = (method: string): method is Typed => method in inputs;

const proofOf = (method: Typed, text: string): Proof =>
  method === 'totp' ? { code: text } : method === 'recovery_code' ? { recovery_code: text } : { current_password: text };

type Props = {
  /** What the user can prove: `totp`, `passkey`, `recovery_code`, `current_password`. */
  methods: readonly string[];
  proving: { isPending: boolean; error: Error | null; variables: Proof | undefined; reset: () => void };
  submit: string;
  failed: string;
  onProve: (proof: Proof) => void;
};

/** Asks the user to prove who they are, in one of the ways that they have. */
export function ProofForm({ methods, proving, submit, failed, onProve }: Props) {
  const { isPending, error, variables, reset } = proving;
  const typed = methods.filter(isTyped);
  const [chosen, setChosen] = useState<Typed>();
  const [text, setText] = useState('');
  // A user who has only a passkey is not asked for a recovery code first.
  const shown = chosen ?? typed.find((method) => method !== 'recovery_code');
  const canUsePasskey = methods.includes('passkey') && hasPasskeys();

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending && shown) onProve(proofOf(shown, text));
  };
  const choose = (method: Typed) => {
    reset();
    setText('');
    setChosen(method);
  };
  const input = shown && {
    label: inputs[shown].label,
    description: inputs[shown].description,
    ...{ required: true, withAsterisk: false, 'data-autofocus': true, autoFocus: true, value: text },
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => setText(currentTarget.value),
  };

  return (
    <form onSubmit={send}>
      <Stack gap="md">
        {error && <ErrorAlert error={error} title={failed} />}
        {shown === 'totp' && <TextInput key={shown} {...input} inputMode="numeric" autoComplete="one-time-code" maxLength={10} />}
        {shown === 'recovery_code' && <TextInput key={shown} {...input} autoComplete="off" spellCheck={false} maxLength={40} />}
        {shown === 'current_password' && (
          <PasswordInput
            key={shown}
            {...input}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          />
        )}
        {shown && (
          <Button type="submit" loading={isPending && variables !== 'passkey'}>
            {submit}
          </Button>
        )}
        {canUsePasskey && (
          <Button
            variant={shown ? 'default' : 'filled'}
            loading={isPending && variables === 'passkey'}
            onClick={() => onProve('passkey')}
            data-autofocus={shown ? undefined : true}
          >
            Use a passkey
          </Button>
        )}
        {typed
          .filter((method) => method !== shown)
          .map((method) => (
            <Anchor key={method} component="button" type="button" size="sm" ta="start" onClick={() => choose(method)}>
              {inputs[method].use}
            </Anchor>
          ))}
      </Stack>
    </form>
  );
}
