import { Alert, Button, Group, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { CopyButton } from '../clipboard/copy-button.tsx';
import classes from './recovery-codes.module.css';

/** Shows recovery codes, once. */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        Store these codes where you will find them without your phone. Each signs you in once if you lose your second factor. They are not
        shown again.
      </Alert>
      <List listStyleType="none" className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <List.Item key={code}>{code}</List.Item>
        ))}
      </List>
      <Group gap="sm">
        <CopyButton text={text} label="Copy codes" />
        <Button
          component="a"
          variant="default"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="recovery-codes.txt"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download codes
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onStored} data-autofocus>
          I have stored them
        </Button>
      </Group>
    </Stack>
  );
}
