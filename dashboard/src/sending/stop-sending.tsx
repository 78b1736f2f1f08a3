import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { usePermission } from '../session/permission.ts';
import { useSendingPaused, useStopSending } from './sending-settings.ts';

/** Stops all sending with one click; the banner resumes it. */
export function StopSending() {
  const { data: isPaused } = useSendingPaused();
  const { mayWrite } = usePermission('campaigns');
  const { mutate, isPending } = useStopSending();
  if (!mayWrite || isPaused !== false) return null;
  const stop = () =>
    mutate(true, {
      onError: (failure) => notifications.show({ color: 'red', title: "Couldn't stop sending", message: failure.message }),
    });
  return (
    <Button color="red" variant="light" loading={isPending} onClick={stop}>
      Stop all sending
    </Button>
  );
}
