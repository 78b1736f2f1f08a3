import type { EventEnvelope } from '@mp/contracts/event';
import { MessageBounced, MessageClicked, MessageOpened, MessageReclassified } from '@mp/contracts/events/campaigns';
import type { CampaignId, ContactId, WorkflowId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { RunsStore } from '../runs/runs-store.ts';
import { type TriggerDeps, triggerByEvent } from '../triggers/trigger-event.ts';
import type { Trigger } from '../workflows/trigger.ts';
import { leadsTo } from './link-url.ts';
import type { OccurToContact } from './occur-to-contact.ts';

type Message = {
  contact_id: ContactId;
  campaign_id: CampaignId | null;
  workflow_id: WorkflowId | null;
  effect_key?: string | undefined;
  at: string;
  url?: string;
};

type Deps = TriggerDeps & { occurToContact: OccurToContact; runs: Pick<RunsStore, 'stepOf'> };

const engagements = ['message_opened', 'message_clicked'] as const;
type Engagement = (typeof engagements)[number];
type Type = Engagement | 'message_bounced' | 'message_refused';

const isEngagement = (type: Type): type is Engagement => engagements.some((one) => one === type);

const isOfMessage = (trigger: Trigger): trigger is Trigger & { type: Type } => trigger.type.startsWith('message_');

/**
 * An open, click, bounce or refusal starts the workflows that it triggers; an open or click also applies to the run that sent the
 * email. Automated ones count when they are found to be human later.
 */
export const onMessageEngaged = (deps: Deps) => {
  async function happened(tx: Transaction, event: EventEnvelope<Message>, type: Type) {
    const { contact_id: contactId, campaign_id, workflow_id, effect_key, at, url } = event.data;
    if (effect_key !== undefined && isEngagement(type)) {
      const named = { id: event.id, eventId: event.id, accountId: event.account_id, contactId };
      await deps.occurToContact(tx, { ...named, at: new Date(at), occurred: { type, effect_key } });
    }
    const isOfStep = async (step: string) =>
      effect_key !== undefined && (await deps.runs.stepOf(tx, event.account_id, effect_key)) === step;
    const fits = async (trigger: Trigger) =>
      isOfMessage(trigger) &&
      (trigger.campaign_id === undefined || trigger.campaign_id === campaign_id) &&
      (trigger.workflow_id === undefined || trigger.workflow_id === workflow_id) &&
      (trigger.type !== 'message_clicked' || trigger.url === undefined || (url !== undefined && leadsTo(url, trigger.url))) &&
      (trigger.step_id === undefined || (await isOfStep(trigger.step_id)));
    const data = { campaign_id, workflow_id, ...(url !== undefined && { url }) };
    await triggerByEvent(tx, deps, { event, contactId, at: new Date(at), after: [event.id], data, trigger: { type }, fits });
  }
  const byPerson = (tx: Transaction, event: EventEnvelope<Message & { machine: boolean }>, type: Type) =>
    event.data.machine ? Promise.resolve() : happened(tx, event, type);
  return [
    on(MessageOpened, (tx, event) => byPerson(tx, event, 'message_opened')),
    on(MessageClicked, (tx, event) => byPerson(tx, event, 'message_clicked')),
    on(MessageReclassified, (tx, event) => byPerson(tx, event, event.data.activity === 'opened' ? 'message_opened' : 'message_clicked')),
    on(MessageBounced, (tx, event) => happened(tx, event, event.data.hard ? 'message_bounced' : 'message_refused')),
  ];
};
