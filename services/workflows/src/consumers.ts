import { CampaignEffectCompleted, FrequencyCapChanged } from '@mp/contracts/events/campaigns';
import { ContactEffectCompleted, ImportCompleted } from '@mp/contracts/events/contacts';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import type { Clock } from '@mp/service-kit/clock';
import { createConsumer, type EventHandler } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import { onContactChanged } from './contacts/on-contact-changed.ts';
import { onContactErased } from './contacts/on-contact-erased.ts';
import { onFormSubmitted } from './occurrences/on-form-submitted.ts';
import { onMessageEngaged } from './occurrences/on-message-engaged.ts';
import { onContactEffectCompleted, onNotifyEffectCompleted, onSendEffectCompleted } from './runs/on-effect-completed.ts';
import { onFrequencyCapChanged } from './settings/on-frequency-cap-changed.ts';
import { onEventAttributed, onEventTracked } from './triggers/on-event-tracked.ts';
import { onImportCancelled } from './triggers/on-import-cancelled.ts';
import { onMembershipChanged } from './triggers/on-membership-changed.ts';

type Happening = Parameters<typeof onContactChanged>[0] &
  Parameters<typeof onMembershipChanged>[0] &
  Omit<Parameters<typeof onContactErased>[0], 'outbox'> & { clock: Clock };

const consumerOf = (parts: Parts) => (name: string, stream: StreamDefinition, filter: string, handlers: readonly EventHandler[]) =>
  createConsumer(parts, { name, stream, filter, handlers });

/** The consumers of what happens to contacts: it triggers workflows, and runs wait for it. */
export function createOccurrenceConsumers(
  parts: Parts,
  { contacts, runs, occurrences, candidates, delivered, erased, clock, ...rest }: Happening,
) {
  const consumer = consumerOf(parts);
  const deps = { contacts, runs, occurrences, candidates, ...rest };
  return [
    consumer('workflows-contacts', streams.contacts, 'contacts.contact.>', [
      ...onContactChanged(deps),
      onContactErased({ contacts, runs, occurrences, candidates, delivered, erased, outbox: parts.outbox, clock }),
    ]),
    consumer('workflows-forms', streams.contacts, 'contacts.form.>', onFormSubmitted(deps)),
    consumer('workflows-messages', streams.campaigns, 'campaigns.message.>', onMessageEngaged(deps)),
    consumer('workflows-memberships', streams.segments, 'segments.membership.>', onMembershipChanged(deps)),
    consumer('workflows-activities', streams.leadpulse, EventTracked.subject, [onEventTracked(deps)]),
    consumer('workflows-attributions', streams.leadpulse, EventAttributed.subject, [onEventAttributed(deps)]),
  ];
}

/** The consumer of cancelled imports, apart from what their rows cause, so that it does not wait behind that. */
export const createImportConsumer = (parts: Parts, deps: Parameters<typeof onImportCancelled>[0]) =>
  consumerOf(parts)('workflows-imports', streams.contacts, ImportCompleted.subject, [onImportCancelled(deps)]);

/** The consumers of the results of effects. */
export function createEffectConsumers(parts: Parts, deps: Parameters<typeof onSendEffectCompleted>[0]) {
  const consumer = consumerOf(parts);
  return [
    consumer('workflows-contact-effects', streams.contacts, ContactEffectCompleted.subject, [onContactEffectCompleted(deps)]),
    consumer('workflows-send-effects', streams.campaigns, CampaignEffectCompleted.subject, [onSendEffectCompleted(deps)]),
    consumer('workflows-notify-effects', streams.platform, NotifyEffectCompleted.subject, [onNotifyEffectCompleted(deps)]),
  ];
}

/** The consumer of settings of other services, for which runs wait. */
export const createSettingsConsumer = (parts: Parts, deps: Parameters<typeof onFrequencyCapChanged>[0]) =>
  consumerOf(parts)('workflows-frequency-caps', streams.campaigns, FrequencyCapChanged.subject, [onFrequencyCapChanged(deps)]);
