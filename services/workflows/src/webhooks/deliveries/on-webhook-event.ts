import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { type WebhookEvent, webhookPayload } from '@mp/contracts/webhooks/webhook-event';
import type { Clock } from '@mp/service-kit/clock';
import type { EventHandler } from '@mp/service-kit/consume';
import { passes } from '../endpoints/filter.ts';
import { subscribes } from '../endpoints/webhook.ts';
import type { WebhooksStore } from '../endpoints/webhooks-store.ts';
import type { StreamsStore } from '../streams/streams-store.ts';
import type { AcceptedStore } from './accepted-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { ErasedContacts } from './erased-contacts-store.ts';

type Deps = {
  webhooks: WebhooksStore;
  deliveries: DeliveriesStore;
  streams: StreamsStore;
  erased: ErasedContacts;
  accepted: AcceptedStore;
  clock: Clock;
  wake: () => void;
};

/** How much the clocks of services may differ. An event from just before a webhook was created may therefore be sent to it. */
const maxClockSkewMs = 5_000;

/** Queues a delivery for every webhook and stream that subscribes to the event, in the transaction that marks the event as applied. */
export function onWebhookEvents({ webhooks, deliveries, streams, erased, accepted, clock, wake }: Deps): EventHandler[] {
  const handlerOf = (source: WebhookEvent['source'], types: readonly WebhookEvent[]): EventHandler => ({
    event: source,
    isRelevant: async ({ account_id }) => (await streams.isStreamed(account_id)) || webhooks.hasAny(account_id),
    async react(tx, envelope) {
      const { account_id, time } = envelope;
      const createdBefore = Date.parse(time) + maxClockSkewMs;
      const recording = (await webhooks.recording(account_id, tx)).filter(({ created_at }) => Date.parse(created_at) <= createdBefore);
      const open = (await streams.open(account_id, tx)).filter(({ created_at }) => created_at.getTime() <= createdBefore);
      const made = types.flatMap((type) => {
        const subscribed = recording.filter((webhook) => subscribes(webhook, type.type));
        const streamed = open.filter((stream) => subscribes(stream, type.type));
        const event = subscribed.length + streamed.length > 0 ? webhookPayload(type, envelope) : undefined;
        if (!event) return [];
        const passed = subscribed.filter(({ filter }) => filter === null || passes(filter, event.payload));
        return [{ ...event, passed, streamed }];
      });
      const contactIds = made.flatMap((event) => event.contactIds);
      if (await erased.includesAny(tx, account_id, contactIds)) return;
      for (const { payload, contactIds: about, streamed } of made) {
        const ids = streamed.map(({ id }) => id);
        await streams.add(tx, account_id, { ids, payload, contactIds: about });
      }
      const wanted = made.flatMap(({ payload, contactIds: about, passed }) =>
        passed.map(({ id, status }) => ({ payload, contactIds: about, webhookId: id, isMissed: status === 'disabled' })),
      );
      const queued = await accepted.without(tx, account_id, wanted);
      if (queued.length === 0) return;
      await deliveries.add(tx, account_id, queued, clock());
      tx.afterCommit(wake);
    },
  });
  return [...Map.groupBy(webhookEvents, ({ source }) => source)].map(([source, types]) => handlerOf(source, types));
}
