import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { ReplayMissed, showReplayed } from './replay-missed.tsx';
import { RotateWebhookSecret } from './rotate-webhook-secret.tsx';
import { TestWebhook } from './test-webhook.tsx';
import { type Missed, useChangeWebhook, useDeleteWebhook, useReplayFailed, type Webhook } from './webhooks.ts';

/** Deliveries are kept for 30 days; a minute less, so that the request is never too late. */
const keptMs = 30 * 24 * 60 * 60 * 1_000 - 60_000;

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, status } = webhook;
  const [isTesting, setTesting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const [missed, setMissed] = useState<Missed | null>(null);
  const change = useChangeWebhook(id);
  const remove = useDeleteWebhook(id);
  const replay = useReplayFailed(id);
  const isActive = status === 'active';

  const toggle = () =>
    change.mutate(
      { status: isActive ? 'disabled' : 'active' },
      {
        onSuccess: (updated) => setMissed(updated.missed),
        onError: (error) => notifications.show({ color: 'red', title: "Couldn't update the webhook", message: error.message }),
      },
    );

  return (
    <Group gap="sm">
      <Button onClick={() => setTesting(true)}>Send test event</Button>
      {isActive && (
        <ConfirmButton
          label="Replay failed"
          title="Replay failed deliveries?"
          confirm="Replay"
          isHarmless
          failed="Couldn't replay the deliveries"
          mutation={replay}
          onConfirm={({ onSuccess }) =>
            replay.mutate(new Date(Date.now() - keptMs).toISOString(), {
              onSuccess: ({ replayed }) => {
                showReplayed(replayed);
                onSuccess();
              },
            })
          }
        >
          <Text size="sm">All failed deliveries of the last 30 days are sent again, with their original event IDs.</Text>
        </ConfirmButton>
      )}
      <Button variant="default" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setRotating(true)}>
        Rotate secret
      </Button>
      <Button variant="default" loading={change.isPending} onClick={toggle}>
        {isActive ? 'Disable' : 'Enable'}
      </Button>
      <ConfirmButton
        label="Delete"
        title="Delete this webhook?"
        confirm="Delete webhook"
        failed="Couldn't delete the webhook"
        mutation={remove}
        onConfirm={(options) => remove.mutate(undefined, options)}
        next={{ to: '/settings/webhooks' }}
      >
        <Text size="sm">
          <strong>{url}</strong> receives no more events, and pending deliveries are discarded. This can't be undone.
        </Text>
      </ConfirmButton>
      <ReplayMissed id={id} missed={missed} onClose={() => setMissed(null)} />
      <EditWebhook webhook={webhook} opened={isEditing} onClose={() => setEditing(false)} />
      <TestWebhook id={id} opened={isTesting} onClose={() => setTesting(false)} />
      <RotateWebhookSecret id={id} opened={isRotating} onClose={() => setRotating(false)} />
    </Group>
  );
}
