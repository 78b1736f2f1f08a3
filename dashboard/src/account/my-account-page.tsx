import { Stack } from '@mantine/core';
import { Page } from '../page/page.tsx';
import { ApplicationsPanel } from './applications-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SecondFactorsPanel } from './second-factors-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

/** The signed-in user's own settings. */
export function MyAccountPage() {
  return (
    <Page title="Your account" describes="How you sign in, your active sessions, and the applications that you have connected.">
      <Stack gap="lg" maw={760}>
        <PasswordPanel />
        <SecondFactorsPanel />
        <SessionsPanel />
        <ApplicationsPanel />
      </Stack>
    </Page>
  );
}
