import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { MessageBounced, MessageClicked, MessageOpened, MessageReclassified } from '@mp/contracts/events/campaigns';
import type { CampaignId, ContactId, WorkflowId } from '@mp/ids';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { z } from 'zod';
import type { Trigger } from '../workflows/trigger.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyContactEvents, Happening } from './apply-contact-events.ts';
import { leadsTo } from './link-url.ts';

type Message = {
  contact_id: ContactId;
  campaign_id: CampaignId | null;
  workflow_id: WorkflowId | null;
  effect_key?: string | undefined;
  at: string;
  url?: string | undefined;
};

type Deps = { workflows: Pick<WorkflowsStore, 'concerns'>; applyContactEvents: ApplyContactEvents };

const engagements = ['message_opened', 'message_clicked'] as const;
type Engagement = (typeof engagements)[number];
type Type = Engagement | 'message_bounced' | 'message_refused';

const isEngagement = (type: Type): type is Engagement => engagements.some((one) => one === type);

const isOfMessage = (trigger: Trigger): trigger is Trigger & { type: Type } => trigger.type.startsWith('message_');

/**
 * An open, click, bounce or refusal starts the workflows that it triggers; an open or click also applies to the run that sent the
 * email. Automated ones count when they are found to be human later. Those that concern no workflow cost no transaction.
 */
export const onMessageEngaged = ({ workflows, applyContactEvents }: Deps): EventHandler[] => {
  const handler = <Data extends z.ZodType<Message>>(
    type: EventType<Data>,
    typeOf: (data: z.output<Data>) => Type | undefined,
  ): EventHandler => ({
    ...onAll(type, (tx, events) =>
      applyContactEvents(
        tx,
        events.flatMap((event) => {
          const happenedAs = typeOf(event.data);
          return happenedAs === undefined ? [] : [happened(event, happenedAs)];
        }),
      ),
    ),
    isRelevant: async ({ account_id, data }) => {
      const happenedAs = typeOf(type.data.parse(data));
      return happenedAs !== undefined && (await workflows.concerns(account_id, happenedAs));
    },
  });
  return [
    handler(MessageOpened, ({ machine }) => (machine ? undefined : 'message_opened')),
    handler(MessageClicked, ({ machine }) => (machine ? undefined : 'message_clicked')),
    handler(MessageReclassified, ({ machine, activity }) => {
      if (machine) return undefined;
      return activity === 'opened' ? 'message_opened' : 'message_clicked';
    }),
    handler(MessageBounced, ({ hard }) => (hard ? 'message_bounced' : 'message_refused')),
  ];
};

function happened(event: EventEnvelope<Message>, type: Type): Happening {
  const { contact_id: contactId, campaign_id, workflow_id, effect_key: effectKey, at, url } = event.data;
  const fits = (trigger: Trigger, step: string | undefined) =>
    isOfMessage(trigger) &&
    (trigger.campaign_id === undefined || trigger.campaign_id === campaign_id) &&
    (trigger.workflow_id === undefined || trigger.workflow_id === workflow_id) &&
    (trigger.type !== 'message_clicked' || trigger.url === undefined || (url !== undefined && leadsTo(url, trigger.url))) &&
    (trigger.step_id === undefined || trigger.step_id === step);
  return {
    ...{ event, contactId, at: new Date(at), after: [event.id], effectKey, fits },
    ...(effectKey !== undefined && isEngagement(type) && { occurred: { type, effect_key: effectKey } }),
    data: { campaign_id, workflow_id, ...(url !== undefined && { url }) },
    trigger: { type },
  };
}
