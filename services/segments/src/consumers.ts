import { AudienceChanged } from '@mp/contracts/events/campaigns';
import { ReferencesChanged } from '@mp/contracts/events/workflows';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { createConsumer, type EventHandler } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import { onEventTracked } from './activities/on-event-tracked.ts';
import { onFormActivity } from './activities/on-form-activity.ts';
import { onMessageActivity } from './activities/on-message-activity.ts';
import type { Segments } from './build-segments.ts';
import { onContactErased } from './erasures/on-contact-erased.ts';
import { onContactChanged } from './profiles/on-contact-changed.ts';
import { onAudienceChanged, onReferencesChanged } from './references/on-references-changed.ts';

/** The service's consumers. */
export function createConsumers(parts: Parts, built: Segments) {
  const { contacts, erasures, eraser, references } = built;
  const consumer = (name: string, stream: StreamDefinition, filter: string, handlers: readonly EventHandler[]) =>
    createConsumer(parts, { name, stream, filter, handlers });

  return [
    consumer('segments-contacts', streams.contacts, 'contacts.contact.>', [
      ...onContactChanged(contacts),
      onContactErased({ contacts, erasures, wake: eraser.wake }),
    ]),
    consumer('segments-forms', streams.contacts, 'contacts.form.>', onFormActivity(built)),
    consumer('segments-leadpulse', streams.leadpulse, 'leadpulse.event.>', onEventTracked(built)),
    consumer('segments-campaigns', streams.campaigns, 'campaigns.message.>', onMessageActivity(built)),
    consumer('segments-audiences', streams.campaigns, AudienceChanged.subject, [onAudienceChanged(references)]),
    consumer('segments-references', streams.workflows, ReferencesChanged.subject, [onReferencesChanged(references)]),
  ];
}
