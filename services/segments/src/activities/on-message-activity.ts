import type { EventEnvelope, EventType } from '@mp/contracts/event';
import {
  MessageBounced,
  MessageClicked,
  MessageComplained,
  MessageConverted,
  MessageDelivered,
  MessageOpened,
  MessageReclassified,
  MessageSent,
  MessageUnsubscribed,
} from '@mp/contracts/events/campaigns';
import { campaignId, contactId, workflowId } from '@mp/contracts/ids';
import { type CampaignActivity, campaignActivityName } from '@mp/rules/activity';
import { type EventHandler, on, onAll } from '@mp/service-kit/consume';
import { z } from 'zod';
import type { ApplyActivity, Done } from './apply-activity.ts';

/** The fields read from every message event. A message of a workflow has no campaign: it counts for its workflow, and for `any`. */
const Message = z.object({
  contact_id: contactId,
  campaign_id: campaignId.nullable(),
  workflow_id: workflowId.nullable(),
  at: z.iso.datetime(),
  url: z.string().optional(),
  machine: z.boolean().default(false),
  hard: z.boolean().optional(),
});

const followed: [EventType, CampaignActivity][] = [
  [MessageSent, 'sent'],
  [MessageDelivered, 'delivered'],
  [MessageOpened, 'opened'],
  [MessageClicked, 'clicked'],
  [MessageBounced, 'bounced'],
  [MessageComplained, 'complained'],
  [MessageUnsubscribed, 'unsubscribed'],
  [MessageConverted, 'converted'],
];

/**
 * Applies message events. A bounce that does not blame the address is a refusal, as in the analytics of campaigns. Activity of
 * scanners and prefetchers is stored but never counted, even if it is detected later.
 */
export const onMessageActivity = ({ applyActivities, applyReclassification }: ApplyActivity): EventHandler[] => [
  ...followed.map(([event, activity]) =>
    onAll(event, async (tx, events: readonly EventEnvelope<unknown>[]) => {
      for (const [accountId, own] of Map.groupBy(events, ({ account_id }) => account_id))
        await applyActivities(
          tx,
          accountId,
          'activity',
          own.map(({ id, data }) => doneOf(id, activity, Message.parse(data))),
        );
    }),
  ),
  on(MessageReclassified, async (tx, { account_id, time, data: { event_id, activity, ...message } }) => {
    const reclassification = { ...activityOf(event_id, activity, message), reclassifiedAt: new Date(time) };
    await applyReclassification(tx, account_id, {
      contactId: message.contact_id,
      reclassification,
      touchedIn: (index) => index.touchedByCampaign(activity, message.campaign_id ?? message.workflow_id),
    });
  }),
];

function doneOf(id: string, kind: CampaignActivity, message: z.output<typeof Message>): Done {
  const activity = message.hard === false ? 'refused' : kind;
  return {
    contactId: message.contact_id,
    activity: activityOf(id, activity, message),
    touchedIn: (index) => index.touchedByCampaign(activity, message.campaign_id ?? message.workflow_id),
  };
}

/** The event id identifies the activity, and corrections name it. */
const activityOf = (id: string, activity: CampaignActivity, { campaign_id, workflow_id, url, at, machine }: z.output<typeof Message>) => ({
  id,
  name: campaignActivityName(activity),
  time: new Date(at),
  properties: { campaign_id, workflow_id, ...(url === undefined ? {} : { url }) },
  machine,
});
