import { Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { share } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { WebhookStatus } from './webhook-status.tsx';
import { useReceivedLabels, useWebhooks, type Webhook } from './webhooks.ts';

/** Settings → Webhooks. */
export function WebhooksPage() {
  const webhooks = useWebhooks();
  const receivedLabels = useReceivedLabels();
  const [isCreating, setCreating] = useState(false);

  const columns: readonly Column<Webhook>[] = [
    {
      name: 'URL',
      width: 'minmax(0, 2fr)',
      cell: ({ id, url, description, events }) => (
        <RowLink to="/settings/webhooks/$id" params={{ id }} under={description ?? receivedLabels(events)}>
          {url}
        </RowLink>
      ),
    },
    { name: 'Success rate', width: '110px', wideOnly: true, alignEnd: true, cell: ({ health }) => share(health.success_rate) },
    {
      name: 'p95',
      width: '90px',
      wideOnly: true,
      alignEnd: true,
      cell: ({ health }) => (health.p95_ms === null ? '–' : `${health.p95_ms} ms`),
    },
    {
      name: 'Last failure',
      width: '138px',
      wideOnly: true,
      cell: ({ health }) => (health.last_failure_at ? <RelativeTime at={health.last_failure_at} /> : 'Never'),
    },
    { name: 'Status', width: 'minmax(96px, 1fr)', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  ];

  return (
    <ListPage
      title="Webhooks"
      describes="Notify your apps of events with signed HTTP requests."
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          New webhook
        </Button>
      }
      of="webhooks"
      list={webhooks}
      columns={columns}
      empty={
        <EmptyState title="No webhooks yet" icon={IconWebhook} action={<Button onClick={() => setCreating(true)}>Create a webhook</Button>}>
          A webhook notifies your app as soon as something happens, such as a new contact, an opened email or a finished workflow run.
        </EmptyState>
      }
    >
      <CreateWebhook opened={isCreating} onClose={() => setCreating(false)} />
    </ListPage>
  );
}
