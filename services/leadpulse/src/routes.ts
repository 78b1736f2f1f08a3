import type { Server } from '@mp/service-kit/create-server';
import type { Background } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Suspended } from '@mp/service-kit/suspensions';
import { getAnalytics } from './analytics/get-analytics.ts';
import type { CountryOf } from './countries/country-file.ts';
import { listEvents } from './events/list-events.ts';
import { trackEvents } from './events/track-events.ts';
import type { WriteBuffer } from './events/write-buffer.ts';
import { createGoal } from './goals/create-goal.ts';
import { deleteGoal } from './goals/delete-goal.ts';
import { getGoal } from './goals/get-goal.ts';
import { listGoals } from './goals/list-goals.ts';
import { reportGoal } from './goals/report-goal.ts';
import { updateGoal } from './goals/update-goal.ts';
import { createAdmitPageRequest } from './ingest/admit-page-request.ts';
import { ingestEvents } from './ingest/ingest-events.ts';
import { createKnownSites } from './ingest/known-sites.ts';
import { serveSnippet } from './ingest/serve-snippet.ts';
import { createSiteLimits } from './ingest/site-limits.ts';
import { getLive } from './live/get-live.ts';
import { streamEvents } from './live/stream-events.ts';
import { addFunnelPeople } from './reports/add-funnel-people.ts';
import { listFunnelPeople } from './reports/list-funnel-people.ts';
import { reportRoutes } from './reports/report-routes.ts';
import type { RunReport } from './reports/run-report.ts';
import { createSavedReport } from './saved-reports/create-saved-report.ts';
import { deleteSavedReport } from './saved-reports/delete-saved-report.ts';
import { getSavedReport } from './saved-reports/get-saved-report.ts';
import { listSavedReports } from './saved-reports/list-saved-reports.ts';
import { runSavedReport } from './saved-reports/run-saved-report.ts';
import { updateSavedReport } from './saved-reports/update-saved-report.ts';
import { createCallSource } from './segment-api/call-source.ts';
import { listSegmentCalls } from './segment-api/list-segment-calls.ts';
import { createProcessCalls } from './segment-api/process-calls.ts';
import { receiveCalls } from './segment-api/receive-calls.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import { createSite } from './sites/create-site.ts';
import { deleteSite } from './sites/delete-site.ts';
import { getSite } from './sites/get-site.ts';
import type { IdentitySecrets } from './sites/identity-secret.ts';
import { listSites } from './sites/list-sites.ts';
import { rotateSiteKey } from './sites/rotate-site-key.ts';
import { rotateSiteSecret } from './sites/rotate-site-secret.ts';
import { updateSite } from './sites/update-site.ts';
import type { Stores } from './stores.ts';
import { deleteVisitor } from './visitors/delete-visitor.ts';
import { exportVisitor } from './visitors/export-visitor.ts';
import { getVisitor } from './visitors/get-visitor.ts';
import { listSessions } from './visitors/list-sessions.ts';
import { listVisitors } from './visitors/list-visitors.ts';

type Wiring = {
  parts: Pick<Parts, 'broker' | 'cursors' | 'outbox' | 'transact' | 'claimFirst' | 'logger'>;
  stores: Stores;
  secrets: IdentitySecrets;
  writeBuffer: WriteBuffer;
  runReport: RunReport;
  countryOf: CountryOf;
  suspended: Suspended;
  onVisitorDeleted: () => void;
};

/** Every route of the service. Returns the background work that ends open streams of events. */
export function addRoutes(app: Server, { parts, stores, ...wiring }: Wiring): Background {
  const { broker, cursors, outbox, transact, claimFirst, logger } = parts;
  const { events, visitors, sessions, rollups, visitorDays, identities, goals, savedReports, reportJobs, settings } = stores;
  const { deletions, sites, siteDays, salts, linkTokens, segmentCalls } = stores;
  const { secrets, writeBuffer, runReport, countryOf, suspended, onVisitorDeleted } = wiring;
  const knownSites = createKnownSites(sites);

  trackEvents(app, { writeBuffer, settings, countryOf, claimFirst });
  listVisitors(app, { visitors, events, goals, identities, broker });
  getVisitor(app, { visitors, sessions, events, broker });
  listSessions(app, { visitors, sessions, cursors });
  deleteVisitor(app, { visitors, deletions, transact, onDeleted: onVisitorDeleted });
  exportVisitor(app, { visitors, sessions, events });
  getAnalytics(app, { rollups, visitorDays, sessions, events, settings });

  reportRoutes(app, { runReport, jobs: reportJobs });
  listEvents(app, { events, identities, cursors });
  getLive(app, { events, sessions });
  const streaming = streamEvents(app, { events, suspended });
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

  const admitPageRequest = createAdmitPageRequest({ knownSites, suspended });
  const limits = createSiteLimits({ sites, siteDays, logger });
  const ofPages = { writeBuffer, sites, salts, linkTokens, secrets, settings, countryOf, limits };
  ingestEvents(app, { admitPageRequest, ...ofPages });
  receiveCalls(app, {
    sourceOf: createCallSource({ admitPageRequest, broker }),
    process: createProcessCalls({ ...ofPages, segmentCalls }),
  });
  listSegmentCalls(app, { segmentCalls });
  serveSnippet(app);
  return streaming;
}
