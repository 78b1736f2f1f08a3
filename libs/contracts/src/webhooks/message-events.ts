import type { ContactId } from '@mp/ids';
import { z } from 'zod';
import {
  CampaignProblemFound,
  CampaignTransitioned,
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

type Transition = z.output<typeof CampaignTransitioned.data>['transition'];

const campaign = CampaignTransitioned.data.omit({ transition: true });

const campaignEvent = (type: string, summary: string, transition: Transition, example: Partial<z.input<typeof campaign>>) =>
  defineWebhookEvent({
    type,
    summary,
    source: CampaignTransitioned,
    data: campaign,
    content: ({ data: { transition: made, ...data } }) => (made === transition ? { data, contactIds: [] } : undefined),
    example: { transition, ...example },
  });

export const campaignScheduled = campaignEvent('campaign.scheduled', 'A campaign was scheduled', 'schedule', { status: 'scheduled' });

export const campaignProblemFound = defineWebhookEvent({
  type: 'campaign.problem_found',
  summary: 'A scheduled campaign would fail if it started now',
  source: CampaignProblemFound,
  data: CampaignProblemFound.data,
  content: ({ data }) => ({ data, contactIds: [] }),
  example: {
    problem: '/audience/include/0: the segment could not be built; update its definition to rebuild it, or remove it from the audience.',
  },
});

export const campaignStarted = campaignEvent('campaign.started', 'Sending of a campaign started', 'send', { status: 'freezing' });

export const campaignCompleted = campaignEvent('campaign.completed', 'Every email of a campaign was processed', 'finish', {
  status: 'sent',
  audience_count: 1_200,
});

export const campaignPaused = campaignEvent('campaign.paused', 'A campaign was paused', 'pause', {
  status: 'paused',
  audience_count: 1_200,
});

export const campaignFailed = campaignEvent('campaign.failed', 'A campaign could not be sent', 'fail', {
  status: 'failed',
  status_reason: 'audience_unavailable',
});
