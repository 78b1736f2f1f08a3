import { createEffectsStore } from '@mp/service-kit/effects-store';
import type { Parts } from '@mp/service-kit/service-parts';
import { createAttributesStore } from './attributes/attributes-store.ts';
import { createBulkJobsStore } from './bulk/bulk-jobs-store.ts';
import { createBulkResultsStore } from './bulk/bulk-results-store.ts';
import { createConsentLogStore } from './consent/consent-log-store.ts';
import { createContactsStore } from './contacts/contacts-store.ts';
import { createIdentifiedFieldsStore } from './contacts/identified-fields-store.ts';
import { createDeletedContactsStore } from './deletions/deleted-contacts-store.ts';
import { EffectResult } from './effects/on-effect-requested.ts';
import { createErasuresStore } from './erasures/erasures-store.ts';
import { createLeftoversStore } from './erasures/leftovers-store.ts';
import { createExportsStore } from './exports/exports-store.ts';
import { createFileChunksStore } from './files/file-chunks-store.ts';
import { prepareJobTurns } from './files/leased-jobs.ts';
import { createAdditionsStore } from './forms/additions-store.ts';
import { createCaptchasStore } from './forms/captcha.ts';
import { createFormCountsStore } from './forms/form-counts-store.ts';
import { createFormsStore } from './forms/forms-store.ts';
import { createOptInsStore } from './forms/opt-ins-store.ts';
import { createSubmissionsStore } from './forms/submissions-store.ts';
import { createImportsStore } from './imports/imports-store.ts';
import { createRowErrorsStore } from './imports/row-errors-store.ts';
import { createMergesStore } from './merges/merges-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { createStatusRefreshesStore } from './suppressions/status-refreshes-store.ts';
import { createSuppressionsStore } from './suppressions/suppressions-store.ts';
import { createTimelineStore } from './timeline/timeline-store.ts';

export type Stores = ReturnType<typeof createStores>;

/** Every store of the service; each collection is used by one store only. */
export function createStores({ mongo: { db }, outbox, cursors }: Pick<Parts, 'mongo' | 'outbox' | 'cursors'>) {
  const stores = {
    contacts: createContactsStore(db, cursors),
    identifiedFields: createIdentifiedFieldsStore(db),
    deleted: createDeletedContactsStore(db),
    attributes: createAttributesStore(db),
    consentLog: createConsentLogStore(db, cursors),
    suppressions: createSuppressionsStore(db, outbox, cursors),
    refreshes: createStatusRefreshesStore(db),
    settings: createSettingsStore(db),
    timeline: createTimelineStore(db, cursors),
    merges: createMergesStore(db, cursors),
    effects: createEffectsStore(db, EffectResult),
    erasures: createErasuresStore(db),
    leftovers: createLeftoversStore(db),
    files: createFileChunksStore(db),
    imports: createImportsStore(db, cursors),
    rowErrors: createRowErrorsStore(db),
    exports: createExportsStore(db, cursors),
    bulkJobs: createBulkJobsStore(db, cursors),
    bulkResults: createBulkResultsStore(db),
    forms: createFormsStore(db, cursors),
    optIns: createOptInsStore(db),
    submissions: createSubmissionsStore(db),
    additions: createAdditionsStore(db),
    captchas: createCaptchasStore(db),
    formCounts: createFormCountsStore(db),
  };
  return {
    ...stores,
    prepare: async () => {
      await prepareJobTurns(db);
      for (const store of Object.values(stores)) await store.prepare();
    },
  };
}
