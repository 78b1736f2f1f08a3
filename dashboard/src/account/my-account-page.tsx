import { Stack } from '@mantine/core';
import { Page } from '../shell/page.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

/** What concerns only who is signed in. */
export function MyAccountPage() {
  return (
    <Page title="You" describes="Your password, and where you are signed in.">
      <Stack gap="lg" maw={760}>
        <PasswordPanel />
        <SessionsPanel />
      </Stack>
    </Page>
  );
}
