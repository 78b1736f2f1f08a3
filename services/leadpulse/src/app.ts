import { LeadpulseAccountErased } from '@mp/contracts/events/leadpulse';
import { AccountChanged } from '@mp/contracts/events/platform';
import { backlogRequests } from '@mp/contracts/requests/backlogs';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createServer } from '@mp/service-kit/create-server';
import { replyWithBacklog } from '@mp/service-kit/reply-backlog';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createConsumers } from './consumers.ts';
import { createUntilApplied } from './counting/apply-persons.ts';
import { createCounter } from './counting/counter.ts';
import { exposeCountingMetrics } from './counting/counting-metrics.ts';
import { replyWithLeadpulsePosition } from './counting/reply-position.ts';
import { createCountryFile } from './countries/country-file.ts';
import { repliesToEventContacts } from './events/reply-event-contacts.ts';
import { createWriteBuffer } from './events/write-buffer.ts';
import { createFindFirstForms } from './forms/first-forms.ts';
import { createFormRevenue } from './forms/form-revenue.ts';
import { replyToFormRevenue } from './forms/reply-form-revenue.ts';
import { createAttributionWorker } from './identities/attribution-worker.ts';
import { createLookUpContacts } from './identities/look-up-contacts.ts';
import { createReportWorker } from './reports/report-worker.ts';
import { createRunReport } from './reports/run-report.ts';
import { createRetentionWorker } from './retention/retention-worker.ts';
import { addRoutes } from './routes.ts';
import { createIdentitySecrets } from './sites/identity-secret.ts';
import { replyToVisitorToken } from './sites/reply-visitor-token.ts';
import { createStores } from './stores.ts';

/** `geoipFile` is the path of the database of countries. */
type LeadpulseConfig = { geoipFile?: string | undefined };

/** Wires the service: stores, routes, consumers and background work. */
export function buildApp(parts: Parts, { geoipFile }: LeadpulseConfig = {}): App {
  const { mongo, outbox, metrics, logger, contextKeys, broker } = parts;
  const stores = createStores(parts);
  const { events, visitors, sessions, visitorDays, identities, erasures, sites, settings, deletions, reportJobs, formContacts } = stores;

  const secrets = createIdentitySecrets(contextKeys);
  const retention = createRetentionWorker({ events, sessions, visitors, settings, deletions, logger });
  const reportStores = { events, sessions, visitors, settings, identities };
  const reportWorker = createReportWorker({ jobs: reportJobs, stores: reportStores, logger });
  const countryFile = createCountryFile(geoipFile, parts);
  const suspensions = createSuspensions(parts, AccountChanged);
  const lookUpContacts = createLookUpContacts(parts, { identities, visitors, outbox });
  const untilApplied = createUntilApplied({ events, broker });
  const counter = createCounter({ mongo, outbox, ...stores, lookUpContacts, untilApplied, logger });
  const findFirstForms = createFindFirstForms({ identities, formContacts });
  const attributionWorker = createAttributionWorker({
    ...{ mongo, outbox, events, visitors, identities, erasures, logger },
    beforeForgetting: async (accountId, contactId) => {
      for (const { first } of await findFirstForms(accountId, [contactId])) await events.orders.nameForm(accountId, contactId, first);
    },
  });
  const writeBuffer = createWriteBuffer(events, { stored: counter.wake });
  exposeCountingMetrics(metrics, events);
  const consumers = createConsumers(parts, { stores, writeBuffer });
  const accountErasure = createAccountErasure(parts, LeadpulseAccountErased);

  const app = createServer(parts);
  const streaming = addRoutes(app, {
    ...{ parts, stores, secrets, writeBuffer },
    runReport: createRunReport({ stores: reportStores, jobs: reportJobs, onQueued: reportWorker.wake }),
    countryOf: countryFile.countryOf,
    suspended: suspensions,
    onVisitorDeleted: retention.wake,
  });

  return {
    app,
    prepare: async () => {
      await stores.prepare();
      await suspensions.prepare();
      await sites.resealSecrets(secrets);
      for await (const { accountId, presences } of visitorDays.earlier()) {
        await mongo.transaction({ correlationId: 'count earlier days', causationId: null }, (tx) =>
          visitorDays.add(tx, accountId, presences),
        );
      }
    },
    consumers: [accountErasure.consumer, consumers.contacts, consumers.forms, consumers.traits, consumers.effects, suspensions.consumer],
    replies: [
      replyWithBacklog(parts, backlogRequests.leadpulse),
      replyWithLeadpulsePosition(parts, { events, visitors, counter, contacts: consumers.contacts }),
      replyToVisitorToken({ broker, sites, secrets }),
      replyToFormRevenue({ broker, revenueOf: createFormRevenue({ formContacts, orders: events.orders, findFirstForms }) }),
      ...repliesToEventContacts({ broker, events }),
    ],
    background: [
      accountErasure.background,
      counter,
      attributionWorker,
      suspensions,
      reportWorker,
      retention,
      streaming,
      countryFile.background,
    ],
  };
}
