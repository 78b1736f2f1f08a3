import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { CommandLine } from '../clipboard/command-line.tsx';
import { CopyButton } from '../clipboard/copy-button.tsx';
import type { GeneratedApiKey } from './api-keys.ts';
import classes from './generated-key.module.css';

/** The key's text, the only time it is seen. Going back, closing the tab and reloading are stopped while it is shown. */
export function GeneratedKey({ apiKey: { key, name }, onStored }: { apiKey: GeneratedApiKey; onStored: () => void }) {
  const copyButton = useRef<HTMLButtonElement>(null);
  // The button that made the key is gone, and the focus with it.
  useEffect(() => copyButton.current?.focus(), []);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true });

  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} className={classes.warning}>
        This is the only time the key of “{name}” is shown. Copy it now and store it where your program reads its secrets; nobody can look
        it up later.
      </Alert>
      <div className={classes.key}>
        <TextInput
          readOnly
          value={key}
          label="API key"
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          classNames={{ input: classes.text }}
        />
        <CopyButton text={key} label="Copy key" variant="filled" ref={copyButton} />
      </div>
      <div>
        <p className={classes.try}>Try it</p>
        <CommandLine label="Call the API with this key">
          {`curl ${window.location.origin}/v2/me -H "Authorization: Bearer ${key}"`}
        </CommandLine>
      </div>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStored}>
          I have stored it
        </Button>
      </Group>
    </Stack>
  );
}
