import { type ErasingService, erasingServices } from '@mp/contracts/erasure';
import { AddressRejected } from '@mp/contracts/events/campaigns';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { createConsumer, type EventHandler } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import type { LoadContext } from './contacts/account-context.ts';
import { onContactIdentified } from './contacts/on-contact-identified.ts';
import { onMessageResubscribed, onMessageTopicsChanged, onMessageUnsubscribed } from './contacts/on-message-unsubscribed.ts';
import type { SaveContacts } from './contacts/save-contacts.ts';
import { createTouchLastSeen } from './contacts/touch-last-seen.ts';
import type { UpsertChunk } from './contacts/upsert-contacts.ts';
import { onEffectRequested } from './effects/on-effect-requested.ts';
import { onErased, receiptEvents } from './erasures/on-erased.ts';
import type { Stores } from './stores.ts';
import { onMessageBounced } from './suppressions/on-message-bounced.ts';
import { onAddressRejected, onMessageComplained } from './suppressions/on-message-complained.ts';
import type { Suppress } from './suppressions/suppress.ts';
import { onMembership, onMessage, onRun, onTracked } from './timeline/on-happened.ts';

type Wiring = { stores: Stores; loadContext: LoadContext; saveContacts: SaveContacts; upsertChunk: UpsertChunk; suppress: Suppress };

/** The service's consumers. The timeline has separate ones, so that its backlog cannot delay consent changes. */
export function createConsumers(parts: Parts, { stores, loadContext, saveContacts, upsertChunk, suppress }: Wiring) {
  const { contacts, identifiedFields, deleted, consentLog, merges, effects, timeline, erasures, suppressions } = stores;
  const { outbox } = parts;
  const touchLastSeen = createTouchLastSeen({ contacts, loadContext, saveContacts });
  const consumer = (name: string, stream: StreamDefinition, filter: string, handlers: readonly EventHandler[]) =>
    createConsumer(parts, { name, stream, filter, handlers });

  return [
    consumer('contacts-campaigns', streams.campaigns, 'campaigns.message.>', [
      onMessageUnsubscribed({ contacts, deleted, consentLog, loadContext, saveContacts }),
      onMessageResubscribed({ contacts, deleted, consentLog, loadContext, saveContacts }),
      onMessageTopicsChanged({ contacts, deleted, consentLog, loadContext, saveContacts }),
      onMessageBounced({ contacts, deleted, suppressions, suppress }),
      onMessageComplained({ contacts, suppressions, suppress }),
    ]),
    consumer('contacts-addresses', streams.campaigns, AddressRejected.subject, [onAddressRejected({ suppressions })]),
    consumer('contacts-workflows', streams.workflows, ContactEffectRequested.subject, [
      onEffectRequested({ contacts, merges, effects, loadContext, saveContacts, outbox }),
    ]),
    consumer('contacts-identified', streams.leadpulse, ContactIdentified.subject, [
      onContactIdentified({ contacts, identifiedFields, upsertChunk, outbox, erasures }),
    ]),
    consumer('contacts-timeline-campaigns', streams.campaigns, 'campaigns.message.>', onMessage({ contacts, timeline })),
    consumer('contacts-timeline-segments', streams.segments, 'segments.membership.>', onMembership({ contacts, timeline })),
    consumer('contacts-timeline-leadpulse', streams.leadpulse, 'leadpulse.event.>', onTracked({ contacts, timeline }, touchLastSeen)),
    consumer('contacts-timeline-workflows', streams.workflows, 'workflows.run.>', onRun({ contacts, timeline })),
    ...erasingServices.map((service: ErasingService) =>
      consumer(`contacts-erased-${service}`, streams[service], receiptEvents[service].subject, [onErased(erasures, service)]),
    ),
  ];
}
