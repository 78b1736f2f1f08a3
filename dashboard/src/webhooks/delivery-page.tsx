import { Button, Code, Stack, Text, Timeline } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { DeliveryStatus } from './webhook-status.tsx';
import { type DeliveryDetails, useDelivery, useReplayDelivery } from './webhooks.ts';

/** One delivery with its payload and attempts. */
export function DeliveryPage() {
  const { deliveryId } = useParams({ from: '/signed-in/settings/webhooks/deliveries/$deliveryId' });
  const { data: delivery, error, refetch } = useDelivery(deliveryId);
  if (!delivery) {
    return (
      <Page title="Delivery" back={<BackLink to="/settings/webhooks">Webhooks</BackLink>}>
        {error && <ErrorAlert error={error} title="Couldn't load the delivery" onRetry={() => void refetch()} />}
        {!error && <Outline of="the delivery" />}
      </Page>
    );
  }
  const back = (
    <BackLink to="/settings/webhooks/$id" params={{ id: delivery.webhook_id }}>
      Webhook
    </BackLink>
  );
  return (
    <Page title={delivery.type} back={back} action={<Replay id={delivery.id} />}>
      <Columns>
        <Stack gap="lg">
          <Panel title="Attempts">
            <Attempts delivery={delivery} />
          </Panel>
          <Panel title="Payload">
            <Code block mah={480} tabIndex={0} aria-label="Payload">
              {JSON.stringify(delivery.payload, null, 2)}
            </Code>
          </Panel>
        </Stack>
        <Panel title="Delivery">
          <DescriptionList
            items={{
              Status: <DeliveryStatus status={delivery.status} />,
              'Next attempt': delivery.next_attempt_at && <RelativeTime at={delivery.next_attempt_at} />,
              'Test event': delivery.test ? 'Yes' : null,
              Created: <RelativeTime at={delivery.created_at} />,
              Batch: delivery.batch_id && <code>{delivery.batch_id}</code>,
              'Event ID': <code>{delivery.event_id}</code>,
              ID: <code>{delivery.id}</code>,
            }}
          />
        </Panel>
      </Columns>
    </Page>
  );
}

function Replay({ id }: { id: string }) {
  const { mutate, isPending } = useReplayDelivery(id);
  const replay = () =>
    mutate(undefined, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't replay the delivery", message: error.message }),
    });
  return (
    <Button loading={isPending} onClick={replay}>
      Replay
    </Button>
  );
}

function Attempts({ delivery: { attempts } }: { delivery: DeliveryDetails }) {
  if (attempts.length === 0) return <Text c="dimmed">No attempt yet.</Text>;
  return (
    <Timeline bulletSize={14} lineWidth={2} active={attempts.length}>
      {attempts.map(({ at, error, status_code, duration_ms, response }) => (
        <Timeline.Item key={at} title={<Text size="sm">{error ?? `Responded with ${status_code}.`}</Text>}>
          <Text size="xs" c="dimmed">
            <RelativeTime at={at} />, {duration_ms} ms
          </Text>
          {response && (
            <Code block mah={160} tabIndex={0} aria-label="Response">
              {response}
            </Code>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
