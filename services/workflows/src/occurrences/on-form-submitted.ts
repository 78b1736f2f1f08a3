import type { EventEnvelope } from '@mp/contracts/event';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import type { ContactId, FormId } from '@mp/ids';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyContactEvents, Happening } from './apply-contact-events.ts';

type Deps = { workflows: Pick<WorkflowsStore, 'concerns'>; applyContactEvents: ApplyContactEvents };

type OfForm = { contact_id: ContactId; form_id: FormId; at: string };

/**
 * A form that is submitted or confirmed applies to the runs of its contact and then starts the workflows that this triggers. Those
 * that concern no workflow cost no transaction.
 */
export const onFormSubmitted = ({ workflows, applyContactEvents }: Deps): EventHandler[] => {
  const concerns =
    (type: 'form_submitted' | 'form_confirmed') =>
    ({ account_id }: EventEnvelope) =>
      workflows.concerns(account_id, type);
  return [
    {
      ...onAll(FormSubmitted, (tx, events) =>
        applyContactEvents(
          tx,
          events.map((event) => {
            const { form_id, form_name, page, is_new, awaits_confirmation, consents } = event.data;
            return happened(event, 'form_submitted', { form_id, form_name, page, is_new, awaits_confirmation, consents });
          }),
        ),
      ),
      isRelevant: concerns('form_submitted'),
    },
    {
      ...onAll(FormConfirmed, (tx, events) =>
        applyContactEvents(
          tx,
          events.map((event) => {
            const { form_id, form_name, submitted_at, consents } = event.data;
            return happened(event, 'form_confirmed', { form_id, form_name, submitted_at, consents });
          }),
        ),
      ),
      isRelevant: concerns('form_confirmed'),
    },
  ];
};

function happened(event: EventEnvelope<OfForm>, type: 'form_submitted' | 'form_confirmed', data: Record<string, unknown>): Happening {
  const { contact_id: contactId, form_id, at } = event.data;
  return {
    ...{ event, contactId, at: new Date(at), after: [event.id], data },
    occurred: { type, form_id },
    trigger: { type },
    fits: (trigger) => trigger.type === type && (trigger.form_id === undefined || trigger.form_id === form_id),
  };
}
