import { TraitsApplied } from '@mp/contracts/events/contacts';
import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import { onContactErased } from './erasures/on-contact-erased.ts';
import { onTrackEffectRequested } from './events/on-track-effect-requested.ts';
import type { WriteBuffer } from './events/write-buffer.ts';
import { onFormEvent } from './forms/on-form-event.ts';
import { onContactChanged } from './identities/on-contact-changed.ts';
import { onContactDeleted } from './identities/on-contact-deleted.ts';
import { onTraitsApplied } from './segment-api/on-traits-applied.ts';
import type { Stores } from './stores.ts';

/** The service's consumers. */
export function createConsumers(parts: Parts, { stores, writeBuffer }: { stores: Stores; writeBuffer: WriteBuffer }) {
  const { identities, visitors, erasures, settings, events, segmentCalls, formContacts } = stores;
  const { outbox, logger } = parts;
  return {
    contacts: createConsumer(parts, {
      name: 'leadpulse-contacts',
      stream: streams.contacts,
      filter: 'contacts.contact.*.v1',
      handlers: [
        ...onContactChanged({ identities, visitors, outbox }),
        onContactDeleted({ identities, onGone: formContacts.expire }),
        onContactErased({ identities, erasures, formContacts }),
      ],
    }),
    forms: createConsumer(parts, {
      name: 'leadpulse-forms',
      stream: streams.contacts,
      filter: 'contacts.form.*.v1',
      handlers: onFormEvent({ writeBuffer, settings, identities, formContacts, logger }),
    }),
    traits: createConsumer(parts, {
      name: 'leadpulse-traits',
      stream: streams.contacts,
      filter: TraitsApplied.subject,
      handlers: [onTraitsApplied({ events, segmentCalls })],
    }),
    effects: createConsumer(parts, {
      name: 'leadpulse-effects',
      stream: streams.workflows,
      filter: TrackEffectRequested.subject,
      handlers: [onTrackEffectRequested({ writeBuffer, settings, logger })],
    }),
  };
}
