import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { type WebhookEvent, webhookPayload } from '@mp/contracts/webhooks/webhook-event';
import type { EventHandler } from '@mp/service-kit/consume';
import type { Clock } from '../../runs/clock.ts';
import { passes } from '../endpoints/filter.ts';
import { subscribes } from '../endpoints/webhook.ts';
import type { WebhooksStore } from '../endpoints/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { ErasedContacts } from './erased-contacts-store.ts';

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; erased: ErasedContacts; clock: Clock; wake: () => void };

/** How much the clocks of services may differ. An event from just before a webhook was created may therefore be sent to it. */
const maxClockSkewMs = 5_000;

/** Queues a delivery for every webhook that subscribes to the event, in the transaction that marks the event as applied. */
export function onWebhookEvents({ webhooks, deliveries, erased, clock, wake }: Deps): EventHandler[] {
  const handlerOf = (source: WebhookEvent['source'], types: readonly WebhookEvent[]): EventHandler => ({
    event: source,
    isRelevant: ({ account_id }) => webhooks.hasAny(account_id),
    async react(tx, envelope) {
      const { account_id, time } = envelope;
      const createdBefore = Date.parse(time) + maxClockSkewMs;
      const recording = (await webhooks.recording(account_id, tx)).filter(({ created_at }) => Date.parse(created_at) <= createdBefore);
      const queued = types.flatMap((type) => {
        const subscribed = recording.filter((webhook) => subscribes(webhook, type.type));
        const made = subscribed.length > 0 ? webhookPayload(type, envelope) : undefined;
        if (!made) return [];
        return subscribed
          .filter(({ filter }) => filter === null || passes(filter, made.payload))
          .map(({ id, status }) => ({ ...made, webhookId: id, isMissed: status === 'disabled' }));
      });
      if (queued.length === 0) return;
      const contactIds = queued.flatMap((delivery) => delivery.contactIds);
      if (await erased.includesAny(tx, account_id, contactIds)) return;
      await deliveries.add(tx, account_id, queued, clock());
      tx.afterCommit(wake);
    },
  });
  return [...Map.groupBy(webhookEvents, ({ source }) => source)].map(([source, types]) => handlerOf(source, types));
}
