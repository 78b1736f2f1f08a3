import { Stack, Text } from '@mantine/core';
import { CommandLine } from '../clipboard/command-line.tsx';

/** Explains one-time sign-in links. Each works once, within a day. */
export function HowToSignIn() {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        No password yet? Sign in with a one-time link. The platform prints a new one each time it starts. Open it in this browser.
      </Text>
      <CommandLine label="Start the platform and get a sign-in link">npm start</CommandLine>
    </Stack>
  );
}
