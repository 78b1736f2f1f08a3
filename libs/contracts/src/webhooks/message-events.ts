import type { ContactId } from '@mp/ids';
import { z } from 'zod';
import {
  MessageBounced,
  MessageClicked,
  MessageComplained,
  MessageDeferred,
  MessageDelivered,
  MessageFailed,
  MessageOpened,
  MessageSent,
  MessageUnsubscribed,
} from '../events/campaigns.ts';
import { defineWebhookEvent } from './webhook-event.ts';

const internal = { effect_key: true } as const;

const automated = z.boolean().describe('Whether a scanner, prefetcher or bot did it.');

type Internal = { effect_key?: string | undefined; contact_id: ContactId };

const message = <Data extends Internal>({ effect_key: _, ...data }: Data) => ({ data, contactIds: [data.contact_id] });

export const messageSent = defineWebhookEvent({
  type: 'message.sent',
  summary: 'The mail server accepted a message',
  source: MessageSent,
  data: MessageSent.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageDelivered = defineWebhookEvent({
  type: 'message.delivered',
  summary: 'Delivery of a message was proven',
  source: MessageDelivered,
  data: MessageDelivered.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageBounced = defineWebhookEvent({
  type: 'message.bounced',
  summary: 'The receiving server rejected a message because of its address, which is undeliverable',
  source: MessageBounced,
  data: MessageBounced.data.omit({ ...internal, address_hash: true }),
  content: ({ data: { address_hash: _, ...data } }) => (data.hard ? message(data) : undefined),
  example: { hard: true },
});

export const messageRefused = defineWebhookEvent({
  type: 'message.refused',
  summary: 'The receiving server permanently rejected a message for another reason than its address, such as a full mailbox',
  source: MessageBounced,
  data: MessageBounced.data.omit({ ...internal, address_hash: true, hard: true }),
  content: ({ data: { address_hash: _, hard, ...data } }) => (hard ? undefined : message(data)),
  example: { hard: false, reason: '552 5.2.2 Mailbox full' },
});

export const messageComplained = defineWebhookEvent({
  type: 'message.complained',
  summary: 'A recipient marked a message as spam',
  source: MessageComplained,
  data: MessageComplained.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageOpened = defineWebhookEvent({
  type: 'message.opened',
  summary: 'A message was opened',
  source: MessageOpened,
  data: MessageOpened.data.omit({ ...internal, machine: true }).extend({ automated }),
  content: ({ data: { machine, ...data } }) => message({ ...data, automated: machine }),
});

export const messageClicked = defineWebhookEvent({
  type: 'message.clicked',
  summary: 'A link in a message was clicked',
  source: MessageClicked,
  data: MessageClicked.data.omit({ ...internal, machine: true }).extend({ automated }),
  content: ({ data: { machine, ...data } }) => message({ ...data, automated: machine }),
});

export const messageUnsubscribed = defineWebhookEvent({
  type: 'message.unsubscribed',
  summary: 'A recipient unsubscribed from email',
  source: MessageUnsubscribed,
  data: MessageUnsubscribed.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageDeferred = defineWebhookEvent({
  type: 'message.deferred',
  summary: 'The receiving server postponed a message; it is sent again later',
  source: MessageDeferred,
  data: MessageDeferred.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageFailed = defineWebhookEvent({
  type: 'message.failed',
  summary: 'A message could not be sent',
  source: MessageFailed,
  data: MessageFailed.data.omit(internal),
  content: ({ data }) => message(data),
});
