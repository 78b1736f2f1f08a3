import { FormConfirmationRequested, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import { onContactChanged } from './audience/contactables/on-contact-changed.ts';
import { onContactErased } from './audience/contactables/on-contact-erased.ts';
import { onSuppressionRemoved } from './audience/contactables/on-suppression-removed.ts';
import type { FindFault } from './delivery/senders/require-sender.ts';
import { onEventTracked } from './ledger/conversions/on-event-tracked.ts';
import type { SettleDelivered } from './ledger/recipients/settle-delivered.ts';
import { onConfirmationRequested } from './messages/on-confirmation-requested.ts';
import { onSendEffectRequested } from './messages/on-send-effect-requested.ts';
import type { Stores } from './stores.ts';

type ContactWiring = { stores: Stores; settleDelivered: SettleDelivered; wakeEraser: () => void; onDue: () => void };

/** The consumers that keep the projection of contacts. A freeze waits until they are up to date. */
export const createContactConsumers = (parts: Parts, { stores, settleDelivered, wakeEraser, onDue }: ContactWiring) => {
  const { contactables, suppressions, erasures, queue } = stores;
  return [
    createConsumer(parts, {
      name: 'campaigns-contacts',
      stream: streams.contacts,
      filter: 'contacts.contact.>',
      handlers: [
        ...onContactChanged({ contactables, suppressions, settleDelivered, queue, onDue }),
        onContactErased({ contactables, erasures, wake: wakeEraser }),
      ],
    }),
    createConsumer(parts, {
      name: 'campaigns-suppressions',
      stream: streams.contacts,
      filter: SuppressionRemoved.subject,
      handlers: [onSuppressionRemoved(suppressions)],
    }),
  ];
};

type Wiring = { stores: Stores; findRefusedSender: FindFault; formsUrl: string; wake: () => void };

/** The consumers of tracked events, and of emails that workflows and forms send. */
export const createConsumers = (parts: Parts, { stores, findRefusedSender, formsUrl, wake }: Wiring) => {
  const { campaigns, conversions, engagements, recipients, contents, templates } = stores;
  return [
    createConsumer(parts, {
      name: 'campaigns-conversions',
      stream: streams.leadpulse,
      filter: 'leadpulse.event.>',
      handlers: onEventTracked({ campaigns, conversions, engagements, recipients, outbox: parts.outbox }),
    }),
    createConsumer(parts, {
      name: 'campaigns-workflows',
      stream: streams.workflows,
      filter: SendEffectRequested.subject,
      handlers: [onSendEffectRequested({ recipients, contents, templates, findRefusedSender, outbox: parts.outbox, wake })],
    }),
    createConsumer(parts, {
      name: 'campaigns-forms',
      stream: streams.contacts,
      filter: FormConfirmationRequested.subject,
      handlers: [onConfirmationRequested({ recipients, contents, templates, findRefusedSender, formsUrl, wake })],
    }),
  ];
};
