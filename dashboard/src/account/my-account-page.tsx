import { Stack } from '@mantine/core';
import { Page } from '../page/page.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

/** The signed-in user's own settings. */
export function MyAccountPage() {
  return (
    <Page title="Your account" describes="Your password and active sessions.">
      <Stack gap="lg" maw={760}>
        <PasswordPanel />
        <SessionsPanel />
      </Stack>
    </Page>
  );
}
