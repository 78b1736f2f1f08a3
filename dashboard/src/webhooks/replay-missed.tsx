import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { useLastDefined } from '../dialogs/use-last-defined.ts';
import { counted } from '../numbers/format-number.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Missed, useReplayFailed } from './webhooks.ts';

const deliveriesLabel = (count: number) => counted(count, 'delivery', 'deliveries');

export const showReplayed = (count: number) => notifications.show({ message: `${deliveriesLabel(count)} will be sent again.` });

/** Offers to send what a webhook missed before it was enabled. */
export function ReplayMissed({ id, missed, onClose }: { id: string; missed: Missed | null; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useReplayFailed(id);
  // It stays readable while the dialog closes.
  const shown = useLastDefined(missed ?? undefined);
  const close = () => {
    reset();
    onClose();
  };
  return (
    <ConfirmDialog
      opened={missed !== null}
      onClose={close}
      title="Replay what it missed?"
      confirm="Replay"
      keep="Not now"
      isHarmless
      isPending={isPending}
      error={error}
      failed="Couldn't replay the deliveries"
      onConfirm={() =>
        missed &&
        mutate(missed.from, {
          onSuccess: ({ replayed }) => {
            showReplayed(replayed);
            close();
          },
        })
      }
    >
      {shown && (
        <Text size="sm">
          The webhook is enabled. {deliveriesLabel(shown.deliveries)}{' '}
          {shown.deliveries === 1 ? 'has failed; it is' : 'have failed; the first one is'} from <RelativeTime at={shown.from} />.{' '}
          {shown.deliveries === 1
            ? 'It can be sent again, with its original event ID.'
            : 'They can be sent again, with their original event IDs.'}
        </Text>
      )}
    </ConfirmDialog>
  );
}
