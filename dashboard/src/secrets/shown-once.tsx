import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { CommandLine } from '../clipboard/command-line.tsx';
import { CopyButton } from '../clipboard/copy-button.tsx';
import classes from './shown-once.module.css';

type Props = {
  secret: string;
  label: string;
  copy: string;
  warning: ReactNode;
  /** A terminal command that uses the secret. */
  line: string;
  lineDoes: string;
  children?: ReactNode;
  onStored: () => void;
};

/** Shows a secret once, inside a `SecretDialog`, which stays open until the secret is stored. */
export function ShownOnce({ secret, label, copy, warning, line, lineDoes, children, onStored }: Props) {
  const copyButton = useRef<HTMLButtonElement>(null);
  // The focus was on the button that created the secret, which is gone.
  useEffect(() => copyButton.current?.focus(), []);

  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        {warning}
      </Alert>
      {children}
      <div className={classes.key}>
        <TextInput
          readOnly
          value={secret}
          label={label}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          classNames={{ input: classes.text }}
        />
        <CopyButton text={secret} label={copy} variant="filled" ref={copyButton} />
      </div>
      <div>
        <p className={classes.try}>{lineDoes}</p>
        <CommandLine label={lineDoes}>{line}</CommandLine>
      </div>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStored}>
          I have stored it
        </Button>
      </Group>
    </Stack>
  );
}
