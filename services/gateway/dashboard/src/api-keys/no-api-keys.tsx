import { Stack, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { CommandLine } from '../clipboard/command-line.tsx';
import classes from './no-api-keys.module.css';

/** What to do when there is no key yet. */
export function NoApiKeys() {
  return (
    <section className={classes.empty} aria-label="No API keys yet">
      <IconKey size={32} stroke={1.5} aria-hidden className={classes.icon} />
      <Title order={2} size="h4">
        No API keys yet
      </Title>
      <Text c="dimmed" size="sm" maw={440}>
        Generate the first one above, or in a terminal beside the platform. Then call the API with it:
      </Text>
      <Stack gap="xs" className={classes.lines}>
        <CommandLine label="Make a key in a terminal">{'npm run key -- --name "CI" --permission read_write'}</CommandLine>
        <CommandLine label="Call the API with the key">
          {`curl ${window.location.origin}/v2/me -H "Authorization: Bearer $KEY"`}
        </CommandLine>
      </Stack>
    </section>
  );
}
