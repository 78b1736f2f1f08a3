import { Stack } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { Page } from '../page/page.tsx';
import { SendersPanel } from './senders-panel.tsx';
import { SendingForm } from './sending-form.tsx';
import { useSendingSettings } from './sending-settings.ts';
import { StopSending } from './stop-sending.tsx';
import { WorkflowApprovalPanel } from './workflow-approval-panel.tsx';

/** Settings → Sending: the domains of the sender, and when, how fast and about what emails are sent. */
export function SendingPage() {
  const query = useSendingSettings();
  return (
    <Page title="Sending" describes="For the emails of all campaigns and workflows." action={<StopSending />}>
      <Stack gap="lg" maw={760}>
        <SendersPanel />
        <Loaded of="the settings" shape="form" query={query}>
          {(settings) => <SendingForm settings={settings} />}
        </Loaded>
        <WorkflowApprovalPanel />
      </Stack>
    </Page>
  );
}
