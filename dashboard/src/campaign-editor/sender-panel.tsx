import { Stack, Text, TextInput } from '@mantine/core';
import { SenderField } from '../campaigns/sender-field.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { useSendingSettings } from '../sending/sending-settings.ts';
import type { CampaignFormState } from './campaign-draft.ts';

/** Whom the campaign is from. */
export const SenderPanel = ({ form }: { form: CampaignFormState }) => (
  <Panel title="Sender">
    <Stack gap="sm">
      <FormGrid>
        <TextInput label="From name" autoComplete="off" {...form.getInputProps('from.name')} />
        <SenderField label="From email" {...form.getInputProps('from.email')} />
        <TextInput type="email" label="Reply-to" placeholder="Same as From email" autoComplete="off" {...form.getInputProps('reply_to')} />
      </FormGrid>
      <NoDefault />
    </Stack>
  </Panel>
);

/** Where the sender can be entered once for all campaigns, until it is. */
function NoDefault() {
  const { data: settings } = useSendingSettings();
  if (!settings || settings.default_sender) return null;
  return (
    <Text size="xs" c="dimmed">
      Enter the sender once for all campaigns in{' '}
      <TextLink to="/settings/sending" underline="always">
        Settings → Sending
      </TextLink>
      .
    </Text>
  );
}
