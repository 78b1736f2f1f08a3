import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { getAnalytics } from './analytics/get-analytics.ts';
import { answerLeadpulsePosition } from './counting/answer-position.ts';
import { createCounter } from './counting/counter.ts';
import { createLeasesStore } from './counting/leases-store.ts';
import { onContactErased } from './erasures/on-contact-erased.ts';
import { createEventsStore } from './events/events-store.ts';
import { createIngest } from './events/ingest.ts';
import { onTrackEffectRequested } from './events/on-track-effect-requested.ts';
import { trackEvents } from './events/track-events.ts';
import { createContactsAsker } from './identities/ask-contacts.ts';
import { createIdentitiesStore } from './identities/identities-store.ts';
import { createIdentityWorker } from './identities/identity-worker.ts';
import { onContactCreated, onContactUpdated } from './identities/on-contact-changed.ts';
import { onContactDeleted } from './identities/on-contact-deleted.ts';
import { createRollupsStore } from './rollups/rollups-store.ts';
import { createVisitorDaysStore } from './rollups/visitor-days-store.ts';
import { createSessionsStore } from './sessions/sessions-store.ts';
import { getVisitor } from './visitors/get-visitor.ts';
import { listVisitors } from './visitors/list-visitors.ts';
import { createVisitorsStore } from './visitors/visitors-store.ts';

/** Wires the stores, routes, consumers and background workers of the service. */
export function buildApp(parts: Parts): App {
  const { mongo, outbox, cursors, claimFirst, metrics, logger, broker } = parts;
  const events = createEventsStore(mongo.db);
  const visitors = createVisitorsStore(mongo.db, cursors);
  const sessions = createSessionsStore(mongo.db);
  const rollups = createRollupsStore(mongo.db);
  const visitorDays = createVisitorDaysStore(mongo.db);
  const identities = createIdentitiesStore(mongo.db);
  const leases = createLeasesStore(mongo.db);
  const erasures = createErasuresStore(mongo.db);

  const askContacts = createContactsAsker(parts, { identities, visitors, outbox });
  const setAside = metrics.counter(
    'leadpulse_events_set_aside_total',
    'Events that are not counted because counting them failed repeatedly.',
    [],
    [{}],
  );
  const counter = createCounter({
    mongo,
    outbox,
    events,
    visitors,
    sessions,
    rollups,
    visitorDays,
    identities,
    askContacts,
    leases,
    onSetAside: () => setAside.inc(),
    logger,
  });
  const identityWorker = createIdentityWorker({ mongo, outbox, events, visitors, identities, erasures, logger });
  const ingest = createIngest(events, { stored: counter.wake });
  metrics.gauge('leadpulse_pending_events', 'Events accepted but not yet counted.', events.pendingCount);
  metrics.gauge('leadpulse_oldest_pending_event_seconds', 'Age of the oldest event that is not yet counted.', () =>
    events.oldestPendingSeconds(),
  );

  const contacts = createConsumer(parts, {
    name: 'leadpulse-contacts',
    stream: streams.contacts,
    filter: 'contacts.contact.*.v1',
    handlers: [
      onContactCreated({ identities, visitors, outbox }),
      onContactUpdated({ identities, visitors, outbox }),
      onContactDeleted(identities),
      onContactErased({ identities, erasures }),
    ],
  });

  const effects = createConsumer(parts, {
    name: 'leadpulse-effects',
    stream: streams.workflows,
    filter: TrackEffectRequested.subject,
    handlers: [onTrackEffectRequested({ ingest, logger })],
  });

  const app = createServer(parts);
  trackEvents(app, { ingest, claimFirst });
  listVisitors(app, { visitors, broker });
  getVisitor(app, { visitors, sessions, events, broker });
  getAnalytics(app, { rollups, visitorDays, sessions, events });

  return {
    app,
    prepare: async () => {
      for (const store of [events, visitors, sessions, rollups, visitorDays, identities, leases, erasures]) await store.prepare();
      for await (const { accountId, presences } of visitorDays.earlier()) {
        await mongo.transaction({ correlationId: 'count earlier days', causationId: null }, (tx) =>
          visitorDays.add(tx, accountId, presences),
        );
      }
    },
    consumers: [contacts, effects],
    answers: [answerLeadpulsePosition(parts, { events, visitors, counter, contacts })],
    background: [counter, identityWorker],
  };
}
