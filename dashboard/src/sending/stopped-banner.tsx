import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { usePermission } from '../session/permission.ts';
import { useSendingPaused, useStopSending } from './sending-settings.ts';

/** On every page while all sending is stopped. */
export function StoppedBanner() {
  const { data: isPaused } = useSendingPaused();
  const { mayWrite } = usePermission('campaigns');
  const { mutate, isPending } = useStopSending();
  if (!isPaused) return null;
  const resume = () =>
    mutate(false, {
      onError: (failure) => notifications.show({ color: 'red', title: "Couldn't resume sending", message: failure.message }),
    });
  return (
    <Alert color="red" variant="light" role="status" title="All sending is stopped" mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm">Emails of campaigns and workflows, and marketing messages, wait. Transactional messages are sent.</Text>
        {mayWrite && (
          <Button size="xs" loading={isPending} onClick={resume}>
            Resume sending
          </Button>
        )}
      </Group>
    </Alert>
  );
}
