import { NativeSelect, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count, share } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { filterLabel } from './filter-label.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { DeliveryStatus, WebhookStatus } from './webhook-status.tsx';
import { type Delivery, useDeliveries, useReceivedLabels, useWebhook, type Webhook } from './webhooks.ts';

/** One webhook: its health, settings and deliveries. */
export function WebhookPage() {
  const { id } = useParams({ from: '/signed-in/settings/webhooks/$id' });
  const { data: webhook, error, refetch } = useWebhook(id);
  const receivedLabels = useReceivedLabels();
  const back = <BackLink to="/settings/webhooks">Webhooks</BackLink>;
  if (!webhook) {
    return (
      <Page title="Webhook" back={back}>
        {error && <ErrorAlert error={error} title="Couldn't load the webhook" onRetry={() => void refetch()} />}
        {!error && <Outline of="the webhook" />}
      </Page>
    );
  }
  return (
    <Page title={webhook.url} back={back} action={<WebhookActions webhook={webhook} />}>
      <Stack gap="lg">
        <Health webhook={webhook} />
        <Panel title="Settings">
          <DescriptionList
            items={{
              Status: <WebhookStatus webhook={webhook} />,
              'Failing since': webhook.failing_since && <RelativeTime at={webhook.failing_since} />,
              Description: webhook.description,
              Events: receivedLabels(webhook.events),
              Filter: webhook.filter && filterLabel(webhook.filter),
              Batches: webhook.batch && `Up to ${count(webhook.batch.max)} events, after at most ${count(webhook.batch.wait_ms)} ms`,
              Headers: webhook.header_names.join(', ') || null,
              'Old secret expires': webhook.previous_secret_expires_at && <RelativeTime at={webhook.previous_secret_expires_at} />,
              Created: <RelativeTime at={webhook.created_at} />,
              ID: <code>{webhook.id}</code>,
            }}
          />
        </Panel>
        <DeliveryLog id={id} />
      </Stack>
    </Page>
  );
}

const Health = ({ webhook: { health } }: { webhook: Webhook }) => (
  <Metrics label="Health">
    <Metric label="Success rate" value={share(health.success_rate)} under={`of the last ${count(health.attempts)} attempts`} />
    <Metric label="p95 response time" value={health.p95_ms === null ? '–' : `${count(health.p95_ms)} ms`} />
    <Metric label="Last failure" value={health.last_failure_at ? <RelativeTime at={health.last_failure_at} /> : 'Never'} />
    <Metric label="Pending" value={count(health.pending)} under="deliveries" />
  </Metrics>
);

const statuses = ['pending', 'delivered', 'failed'] as const satisfies readonly Delivery['status'][];

function DeliveryLog({ id }: { id: string }) {
  const [status, setStatus] = useState<Delivery['status']>();
  const deliveries = useDeliveries(id, status);
  const columns: readonly Column<Delivery>[] = [
    {
      name: 'Event',
      width: 'minmax(0, 2fr)',
      cell: ({ id: deliveryId, type, event_id, test }) => (
        <RowLink to="/settings/webhooks/deliveries/$deliveryId" params={{ deliveryId }} under={event_id}>
          {test ? `${type} (test)` : type}
        </RowLink>
      ),
    },
    { name: 'Status', width: '120px', cell: ({ status: state }) => <DeliveryStatus status={state} /> },
    {
      name: 'Response',
      width: 'minmax(0, 1fr)',
      wideOnly: true,
      cell: ({ last_attempt }) => last_attempt?.error ?? last_attempt?.status_code ?? '–',
    },
    { name: 'Attempts', width: '90px', wideOnly: true, alignEnd: true, cell: ({ attempt_count }) => count(attempt_count) },
    { name: 'Created', width: '138px', wideOnly: true, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
  return (
    <Panel
      title="Deliveries"
      action={
        <NativeSelect
          aria-label="Status of deliveries"
          data={[
            { value: '', label: 'All' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'failed', label: 'Failed' },
          ]}
          value={status ?? ''}
          onChange={(event) => setStatus(statuses.find((name) => name === event.currentTarget.value))}
        />
      }
    >
      <ListView
        of="deliveries"
        list={deliveries}
        columns={columns}
        keyOf={({ id: deliveryId }) => deliveryId}
        empty={<Text c="dimmed">{status ? 'No deliveries with this status.' : 'Nothing was sent in the last 30 days.'}</Text>}
      />
    </Panel>
  );
}
