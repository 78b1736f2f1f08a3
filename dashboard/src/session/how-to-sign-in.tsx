import { Stack, Text } from '@mantine/core';
import { CommandLine } from '../clipboard/command-line.tsx';

/** Where a link comes from. Each signs in once, within a day. */
export function HowToSignIn() {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Nobody has a password yet? You sign in with a one-time link. The platform prints a new one each time it starts; open it in this
        browser.
      </Text>
      <CommandLine label="Start the platform and get a sign-in link">npm start</CommandLine>
    </Stack>
  );
}
