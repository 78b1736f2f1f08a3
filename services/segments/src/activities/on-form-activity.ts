import type { EventEnvelope } from '@mp/contracts/event';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import type { ContactId, FormId } from '@mp/ids';
import { type FormActivity, formActivityName } from '@mp/rules/activity';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { DefinitionIndex } from '../segments/definition-index.ts';
import type { ApplyActivity } from './apply-activity.ts';

type OfForm = { contact_id: ContactId; form_id: FormId; at: string };

/** Applies submissions of forms and their confirmations. */
export function onFormActivity({ applyActivities }: Pick<ApplyActivity, 'applyActivities'>): EventHandler[] {
  const applyAs = (activity: FormActivity) => async (tx: Transaction, events: readonly EventEnvelope<OfForm>[]) => {
    for (const [accountId, own] of Map.groupBy(events, ({ account_id }) => account_id))
      await applyActivities(
        tx,
        accountId,
        'activity',
        own.map(({ id, data: { contact_id, form_id, at } }) => ({
          contactId: contact_id,
          activity: { id, name: formActivityName(activity), time: new Date(at), properties: { form_id }, machine: false },
          touchedIn: (index: DefinitionIndex) => index.touchedByForm(activity, form_id),
        })),
      );
  };
  return [onAll(FormSubmitted, applyAs('submitted')), onAll(FormConfirmed, applyAs('confirmed'))];
}
