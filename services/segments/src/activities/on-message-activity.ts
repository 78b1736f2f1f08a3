import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { MessageBounced, MessageClicked, MessageOpened, MessageSent, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { type CampaignActivity, campaignActivityName } from '@mp/rules/activity';
import { type EventHandler, on } from '@mp/service-kit/consume';
import { z } from 'zod';
import type { ApplyActivity } from './apply-activity.ts';

/** What is read of every kind of message event. A message of a workflow has no campaign: it counts for `any` only. */
const Message = z.object({
  contact_id: z.string(),
  campaign_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  at: z.iso.datetime(),
  url: z.string().optional(),
  machine: z.boolean().default(false),
});

const followed: [EventType, CampaignActivity][] = [
  [MessageSent, 'sent'],
  [MessageOpened, 'opened'],
  [MessageClicked, 'clicked'],
  [MessageBounced, 'bounced'],
  [MessageUnsubscribed, 'unsubscribed'],
];

/** Follows what happens to messages. What a scanner or prefetcher did is kept but never counted. */
export const onMessageActivity = (applyActivity: ApplyActivity): EventHandler[] =>
  followed.map(([event, activity]) =>
    on(event, async (tx, { id, account_id, data }: EventEnvelope<unknown>) => {
      const { contact_id, campaign_id, workflow_id, at, url, machine } = Message.parse(data);
      const properties = { campaign_id, workflow_id, ...(url === undefined ? {} : { url }) };
      const kept = { id, name: campaignActivityName(activity), time: new Date(at), properties, machine };
      await applyActivity(tx, account_id, contact_id, kept, (index) => index.touchedByCampaign(activity, campaign_id));
    }),
  );
