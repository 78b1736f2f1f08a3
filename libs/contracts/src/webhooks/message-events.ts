import { z } from 'zod';
import {
  MessageBounced,
  MessageClicked,
  MessageComplained,
  MessageDelivered,
  MessageOpened,
  MessageSent,
  MessageUnsubscribed,
} from '../events/campaigns.ts';
import { defineWebhookEvent } from './webhook-event.ts';

const internal = { effect_key: true } as const;

const automated = z.boolean().describe('Whether a scanner, prefetcher or bot did it.');

type Internal = { effect_key?: string | undefined; contact_id: string };

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
  summary: 'A message is proven to be delivered',
  source: MessageDelivered,
  data: MessageDelivered.data.omit(internal),
  content: ({ data }) => message(data),
});

export const messageBounced = defineWebhookEvent({
  type: 'message.bounced',
  summary: 'The receiving server rejected a message',
  source: MessageBounced,
  data: MessageBounced.data.omit({ ...internal, address_hash: true }),
  content: ({ data: { address_hash: _, ...data } }) => message(data),
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
