import { Status } from '../page/status.tsx';
import type { Delivery, Webhook } from './webhooks.ts';

export function WebhookStatus({ webhook: { status, disabled_reason, failing_since } }: { webhook: Webhook }) {
  if (disabled_reason === 'gone') return <Status tone="bad">Disabled: the receiver responded with 410</Status>;
  if (disabled_reason === 'failing') return <Status tone="bad">Disabled after five days of failures</Status>;
  if (status === 'disabled') return <Status tone="over">Disabled</Status>;
  return failing_since ? <Status tone="warn">Failing</Status> : <Status tone="good">Active</Status>;
}

const deliveryStatuses = {
  pending: { tone: 'busy', name: 'Pending' },
  delivered: { tone: 'good', name: 'Delivered' },
  failed: { tone: 'bad', name: 'Failed' },
} as const;

export function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  const { tone, name } = deliveryStatuses[status];
  return <Status tone={tone}>{name}</Status>;
}
