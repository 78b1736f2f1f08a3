import { LeadpulseAccountErased } from '@mp/contracts/events/leadpulse';
import { AccountChanged } from '@mp/contracts/events/platform';
import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import { getAnalytics } from './analytics/get-analytics.ts';
import { answerLeadpulsePosition } from './counting/answer-position.ts';
import { createCounter } from './counting/counter.ts';
import { createLeasesStore } from './counting/leases-store.ts';
import { createCountryFile } from './countries/country-file.ts';
import { onContactErased } from './erasures/on-contact-erased.ts';
import { createEventsStore } from './events/events-store.ts';
import { createIngest } from './events/ingest.ts';
import { listEvents } from './events/list-events.ts';
import { onTrackEffectRequested } from './events/on-track-effect-requested.ts';
import { trackEvents } from './events/track-events.ts';
import { createGoal } from './goals/create-goal.ts';
import { deleteGoal } from './goals/delete-goal.ts';
import { getGoal } from './goals/get-goal.ts';
import { createGoalsStore } from './goals/goals-store.ts';
import { listGoals } from './goals/list-goals.ts';
import { reportGoal } from './goals/report-goal.ts';
import { updateGoal } from './goals/update-goal.ts';
import { createContactsAsker } from './identities/ask-contacts.ts';
import { createIdentitiesStore } from './identities/identities-store.ts';
import { createIdentityWorker } from './identities/identity-worker.ts';
import { onContactChanged } from './identities/on-contact-changed.ts';
import { onContactDeleted } from './identities/on-contact-deleted.ts';
import { createAdmitPage } from './ingest/admit-page.ts';
import { ingestEvents } from './ingest/ingest-events.ts';
import { createKnownSites } from './ingest/known-sites.ts';
import { createLinkTokensStore } from './ingest/link-tokens-store.ts';
import { createSaltsStore } from './ingest/salts-store.ts';
import { serveSnippet } from './ingest/serve-snippet.ts';
import { createSiteDaysStore } from './ingest/site-days-store.ts';
import { getLive } from './live/get-live.ts';
import { streamEvents } from './live/stream-events.ts';
import { addFunnelPeople } from './reports/add-funnel-people.ts';
import { listFunnelPeople } from './reports/list-funnel-people.ts';
import { createReportJobsStore } from './reports/report-jobs-store.ts';
import { reportRoutes } from './reports/report-routes.ts';
import { createReportWorker } from './reports/report-worker.ts';
import { createRunReport } from './reports/run-report.ts';
import { createRetentionWorker } from './retention/retention-worker.ts';
import { createRollupsStore } from './rollups/rollups-store.ts';
import { createVisitorDaysStore } from './rollups/visitor-days-store.ts';
import { createSavedReport } from './saved-reports/create-saved-report.ts';
import { deleteSavedReport } from './saved-reports/delete-saved-report.ts';
import { getSavedReport } from './saved-reports/get-saved-report.ts';
import { listSavedReports } from './saved-reports/list-saved-reports.ts';
import { runSavedReport } from './saved-reports/run-saved-report.ts';
import { createSavedReportsStore } from './saved-reports/saved-reports-store.ts';
import { updateSavedReport } from './saved-reports/update-saved-report.ts';
import { createSessionsStore } from './sessions/sessions-store.ts';
import { getSettings } from './settings/get-settings.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { updateSettings } from './settings/update-settings.ts';
import { answerVisitorToken } from './sites/answer-visitor-token.ts';
import { createSite } from './sites/create-site.ts';
import { deleteSite } from './sites/delete-site.ts';
import { getSite } from './sites/get-site.ts';
import { createIdentitySecrets } from './sites/identity-secret.ts';
import { listSites } from './sites/list-sites.ts';
import { rotateSiteKey } from './sites/rotate-site-key.ts';
import { rotateSiteSecret } from './sites/rotate-site-secret.ts';
import { createSitesStore } from './sites/sites-store.ts';
import { updateSite } from './sites/update-site.ts';
import { deleteVisitor } from './visitors/delete-visitor.ts';
import { exportVisitor } from './visitors/export-visitor.ts';
import { getVisitor } from './visitors/get-visitor.ts';
import { listSessions } from './visitors/list-sessions.ts';
import { listVisitors } from './visitors/list-visitors.ts';
import { createVisitorDeletionsStore } from './visitors/visitor-deletions-store.ts';
import { createVisitorsStore } from './visitors/visitors-store.ts';

/** The limits of the requests of one address, and of the events of one site, in each process. */
const perAddress = { perSecond: 50, burst: 500, max: 50_000 };
const perSite = { perSecond: 1_000, burst: 10_000, max: 10_000 };

/** `geoipFile` is the path of the database of countries. */
type LeadpulseConfig = { geoipFile?: string | undefined };

/** Wires the stores, routes, consumers and background workers of the service. */
export function buildApp(parts: Parts, { geoipFile }: LeadpulseConfig = {}): App {
  const { mongo, outbox, cursors, claimFirst, transact, metrics, logger, contextKeys, broker } = parts;
  const events = createEventsStore(mongo.db);
  const visitors = createVisitorsStore(mongo.db, cursors);
  const sessions = createSessionsStore(mongo.db);
  const rollups = createRollupsStore(mongo.db);
  const visitorDays = createVisitorDaysStore(mongo.db);
  const identities = createIdentitiesStore(mongo.db);
  const leases = createLeasesStore(mongo.db);
  const erasures = createErasuresStore(mongo.db);

  const sites = createSitesStore(mongo.db, cursors);
  const siteDays = createSiteDaysStore(mongo.db);
  const salts = createSaltsStore(mongo.db);
  const linkTokens = createLinkTokensStore(mongo.db);
  const secrets = createIdentitySecrets(contextKeys);
  const knownSites = createKnownSites(sites);
  const settings = createSettingsStore(mongo.db);
  const goals = createGoalsStore(mongo.db, cursors);
  const deletions = createVisitorDeletionsStore(mongo.db);
  const retention = createRetentionWorker({ events, sessions, visitors, settings, deletions, logger });
  const savedReports = createSavedReportsStore(mongo.db, cursors);
  const reportJobs = createReportJobsStore(mongo.db);
  const reportStores = { events, sessions, visitors, settings, identities };
  const reportWorker = createReportWorker({ jobs: reportJobs, stores: reportStores, logger });
  const countryFile = createCountryFile(geoipFile, parts);
  const { countryOf } = countryFile;
  const suspensions = createSuspensions(parts, AccountChanged);

  const askContacts = createContactsAsker(parts, { identities, visitors, outbox });
  const counter = createCounter({
    mongo,
    outbox,
    events,
    visitors,
    sessions,
    rollups,
    visitorDays,
    identities,
    settings,
    askContacts,
    leases,
    logger,
  });
  const identityWorker = createIdentityWorker({ mongo, outbox, events, visitors, identities, erasures, logger });
  const ingest = createIngest(events, { stored: counter.wake });
  metrics.gauge('leadpulse_pending_events', 'Events accepted but not yet counted.', events.pendingCount);
  metrics.gauge(
    'leadpulse_set_aside_events',
    'Events that are not counted because counting them failed repeatedly, at most 10,000.',
    events.setAsideCount,
  );
  metrics.gauge('leadpulse_oldest_pending_event_seconds', 'Age of the oldest event that is not yet counted.', () =>
    events.oldestPendingSeconds(),
  );

  const contacts = createConsumer(parts, {
    name: 'leadpulse-contacts',
    stream: streams.contacts,
    filter: 'contacts.contact.*.v1',
    handlers: [
      ...onContactChanged({ identities, visitors, outbox }),
      onContactDeleted(identities),
      onContactErased({ identities, erasures }),
    ],
  });

  const effects = createConsumer(parts, {
    name: 'leadpulse-effects',
    stream: streams.workflows,
    filter: TrackEffectRequested.subject,
    handlers: [onTrackEffectRequested({ ingest, settings, logger })],
  });

  const accountErasure = createAccountErasure(parts, LeadpulseAccountErased);

  const app = createServer(parts);
  trackEvents(app, { ingest, settings, countryOf, claimFirst });
  listVisitors(app, { visitors, events, goals, identities, broker });
  getVisitor(app, { visitors, sessions, events, broker });
  listSessions(app, { visitors, sessions, cursors });
  deleteVisitor(app, { visitors, deletions, transact, onDeleted: retention.wake });
  exportVisitor(app, { visitors, sessions, events });
  getAnalytics(app, { rollups, visitorDays, sessions, events, settings });

  const runReport = createRunReport({ stores: reportStores, jobs: reportJobs, onQueued: reportWorker.wake });
  reportRoutes(app, { runReport, jobs: reportJobs });

  listEvents(app, { events, identities, cursors });
  getLive(app, { events, sessions });
  const streaming = streamEvents(app, { events, suspended: suspensions });
  listGoals(app, { goals });
  createGoal(app, { goals, transact });
  getGoal(app, { goals });
  updateGoal(app, { goals, transact });
  deleteGoal(app, { goals, transact });
  reportGoal(app, { goals, runReport });
  listSavedReports(app, { reports: savedReports });
  createSavedReport(app, { reports: savedReports, transact });
  getSavedReport(app, { reports: savedReports });
  updateSavedReport(app, { reports: savedReports, transact });
  deleteSavedReport(app, { reports: savedReports, transact });
  runSavedReport(app, { reports: savedReports, runReport });
  listFunnelPeople(app, { events, identities, cursors });
  addFunnelPeople(app, { events, identities, broker, claimFirst });
  getSettings(app, { settings });
  updateSettings(app, { settings, outbox, transact });
  listSites(app, { sites });
  createSite(app, { sites, secrets, transact });
  getSite(app, { sites });
  updateSite(app, { sites, knownSites, transact });
  deleteSite(app, { sites, knownSites, transact });
  rotateSiteKey(app, { sites, knownSites, transact });
  rotateSiteSecret(app, { sites, knownSites, secrets, transact });

  const admitPage = createAdmitPage({ knownSites, suspended: suspensions, requests: createTokenBuckets(perAddress) });
  ingestEvents(app, {
    admitPage,
    ingest,
    sites,
    siteDays,
    salts,
    linkTokens,
    secrets,
    settings,
    countryOf,
    events: createTokenBuckets(perSite),
  });
  serveSnippet(app);

  return {
    app,
    prepare: async () => {
      for (const store of [
        events,
        visitors,
        sessions,
        rollups,
        visitorDays,
        identities,
        leases,
        erasures,
        sites,
        siteDays,
        salts,
        linkTokens,
        reportJobs,
        goals,
        savedReports,
        deletions,
        settings,
      ])
        await store.prepare();
      await suspensions.prepare();
      await sites.resealSecrets(secrets);
      for await (const { accountId, presences } of visitorDays.earlier()) {
        await mongo.transaction({ correlationId: 'count earlier days', causationId: null }, (tx) =>
          visitorDays.add(tx, accountId, presences),
        );
      }
    },
    consumers: [accountErasure.consumer, contacts, effects, suspensions.consumer],
    answers: [answerLeadpulsePosition(parts, { events, visitors, counter, contacts }), answerVisitorToken({ broker, sites, secrets })],
    background: [
      accountErasure.background,
      counter,
      identityWorker,
      suspensions,
      reportWorker,
      retention,
      streaming,
      countryFile.background,
    ],
  };
}
