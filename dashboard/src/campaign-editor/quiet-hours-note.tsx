import { Text } from '@mantine/core';
import { TextLink } from '../page/button-link.tsx';
import { useSendingSettings } from '../sending/sending-settings.ts';

/** The account's quiet hours, during which a campaign waits; renders nothing without them. */
export function QuietHoursNote() {
  const { data: settings } = useSendingSettings();
  if (!settings?.quiet_hours) return null;
  const { from, to } = settings.quiet_hours;
  return (
    <Text size="sm" c="dimmed">
      <TextLink to="/settings/sending">Quiet hours</TextLink>: emails due between {from} and {to}, in the time zone of the contact, are sent
      at {to}.
    </Text>
  );
}
