import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createNamedLeases } from '@mp/service-kit/named-leases';
import type { Parts } from '@mp/service-kit/service-parts';
import { createEventsStore } from './events/events-store.ts';
import { createFormContactsStore } from './forms/form-contacts-store.ts';
import { createGoalsStore } from './goals/goals-store.ts';
import { createIdentitiesStore } from './identities/identities-store.ts';
import { createLinkTokensStore } from './ingest/link-tokens-store.ts';
import { createSaltsStore } from './ingest/salts-store.ts';
import { createSiteDaysStore } from './ingest/site-days-store.ts';
import { createReportJobsStore } from './reports/report-jobs-store.ts';
import { createRollupsStore } from './rollups/rollups-store.ts';
import { createVisitorDaysStore } from './rollups/visitor-days-store.ts';
import { createSavedReportsStore } from './saved-reports/saved-reports-store.ts';
import { createSegmentCallsStore } from './segment-api/segment-calls-store.ts';
import { createSessionsStore } from './sessions/sessions-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { createSitesStore } from './sites/sites-store.ts';
import { createVisitorDeletionsStore } from './visitors/visitor-deletions-store.ts';
import { createVisitorsStore } from './visitors/visitors-store.ts';

export type Stores = ReturnType<typeof createStores>;

/** Every store of the service; each collection is used by one store only. */
export function createStores({ mongo: { db }, cursors, logger }: Pick<Parts, 'mongo' | 'cursors' | 'logger'>) {
  const stores = {
    events: createEventsStore(db),
    visitors: createVisitorsStore(db, cursors),
    sessions: createSessionsStore(db),
    rollups: createRollupsStore(db),
    visitorDays: createVisitorDaysStore(db),
    identities: createIdentitiesStore(db),
    leases: createNamedLeases(db, 'leases'),
    erasures: createErasuresStore(db),
    sites: createSitesStore(db, cursors),
    siteDays: createSiteDaysStore(db),
    salts: createSaltsStore(db),
    linkTokens: createLinkTokensStore(db),
    reportJobs: createReportJobsStore(db),
    goals: createGoalsStore(db, cursors),
    savedReports: createSavedReportsStore(db, cursors),
    deletions: createVisitorDeletionsStore(db),
    settings: createSettingsStore(db),
    formContacts: createFormContactsStore(db),
    segmentCalls: createSegmentCallsStore(db, cursors, logger),
  };
  return {
    ...stores,
    prepare: async () => {
      for (const store of Object.values(stores)) await store.prepare();
    },
  };
}
