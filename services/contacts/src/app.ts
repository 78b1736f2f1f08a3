import { ContactsAccountErased } from '@mp/contracts/events/contacts';
import { AccountChanged } from '@mp/contracts/events/platform';
import { positionRequests } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { trustedId } from '@mp/ids';
import { replyWithPosition } from '@mp/service-kit/answer-position';
import { createServer } from '@mp/service-kit/create-server';
import { createOnce } from '@mp/service-kit/once';
import { type App, outward, type Parts } from '@mp/service-kit/parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { listAttributes } from './attributes/list-attributes.ts';
import { createApplyAction } from './bulk/apply-action.ts';
import { createBulkRunner } from './bulk/bulk-worker.ts';
import { cancelBulkJob } from './bulk/cancel-bulk-job.ts';
import { createBulkJob } from './bulk/create-bulk-job.ts';
import { downloadResults } from './bulk/download-results.ts';
import { getBulkJob } from './bulk/get-bulk-job.ts';
import { listBulkJobs } from './bulk/list-bulk-jobs.ts';
import { createSelectContacts } from './bulk/select-contacts.ts';
import { getConsent } from './consent/get-consent.ts';
import { listConsentLog } from './consent/list-consent-log.ts';
import { createConsumers } from './consumers.ts';
import { createLoadFacts } from './contacts/account-facts.ts';
import { batchContacts } from './contacts/batch-contacts.ts';
import { changeConsent } from './contacts/change-consent.ts';
import { replyToContactRequests } from './contacts/contact-replies.ts';
import { createContact } from './contacts/create-contact.ts';
import { deleteContact } from './contacts/delete-contact.ts';
import { getContact } from './contacts/get-contact.ts';
import { listContacts } from './contacts/list-contacts.ts';
import { createSaveContacts } from './contacts/save-contacts.ts';
import { searchContacts } from './contacts/search-contacts.ts';
import { updateContact } from './contacts/update-contact.ts';
import { upsertContact } from './contacts/upsert-contact.ts';
import { createUpsertContacts } from './contacts/upsert-contacts.ts';
import { createDeletions } from './deletions/delete.ts';
import { createDeletionRunner } from './deletions/deletion-runner.ts';
import { restoreContact } from './deletions/restore-contact.ts';
import { replyToCheckFields } from './effects/answer-check-fields.ts';
import { createCopiesStore } from './erasures/copies-store.ts';
import { createErase } from './erasures/erase.ts';
import { eraseContact } from './erasures/erase-contact.ts';
import { createErasureRunner } from './erasures/erasure-worker.ts';
import { getErasure } from './erasures/get-erasure.ts';
import { createExport } from './exports/create-export.ts';
import { downloadExport } from './exports/download-export.ts';
import { createExportRunner } from './exports/export-worker.ts';
import { getExport } from './exports/get-export.ts';
import { listExports } from './exports/list-exports.ts';
import { createWithdrawExports } from './exports/withdraw-exports.ts';
import { exposeJobMetrics } from './files/job-metrics.ts';
import { cancelImport } from './imports/cancel-import.ts';
import { createImport } from './imports/create-import.ts';
import { getImport } from './imports/get-import.ts';
import { getRowErrors } from './imports/get-row-errors.ts';
import { createImportRunner } from './imports/import-worker.ts';
import { listImports } from './imports/list-imports.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createExportJournal } from './journal/export-journal.ts';
import { listMerges } from './merges/list-merges.ts';
import { mergeContacts } from './merges/merge-contacts.ts';
import { undoMerge } from './merges/undo-merge.ts';
import { createAddMembers, createReadMembers } from './segments/segment-members.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import { createStores } from './stores.ts';
import { addSuppression } from './suppressions/add-suppression.ts';
import { getSuppression } from './suppressions/get-suppression.ts';
import { listSuppressions } from './suppressions/list-suppressions.ts';
import { createRefreshStatuses, createStatusRefresher, statusesRefreshed } from './suppressions/refresh-statuses.ts';
import { removeSuppression } from './suppressions/remove-suppression.ts';
import { createSuppress } from './suppressions/suppress.ts';
import { getTimeline } from './timeline/get-timeline.ts';

/** Long enough for a large file over a slow line; the gateway protects against slow clients. */
const requestTimeoutMs = 60 * 60_000;

/** The service on one screen: its rules, routes, consumers, replies to other services and background work. */
export function buildApp(parts: Parts): App {
  const { mongo, outbox, transact, claimFirst, cursors, broker, logger } = parts;
  const stores = createStores(parts);
  const { contacts, deleted, attributes, consentLog, suppressions, refreshes, settings, timeline, merges, erasures, leftovers } = stores;
  const { files, imports, rowErrors, exports, bulkJobs, bulkResults } = stores;

  const loadFacts = createLoadFacts({ attributes, suppressions, settings });
  const { save: saveContacts, remove: removeContact } = createSaveContacts({ contacts, attributes, consentLog, timeline, outbox });
  const { upsertContacts, upsertChunk } = createUpsertContacts({ mongo, contacts, merges, loadFacts, saveContacts });
  const refreshStatuses = createRefreshStatuses({ contacts, suppressions, saveContacts });
  const refresher = createStatusRefresher({ mongo, logger, refreshes, refreshStatuses });
  const suppress = createSuppress({ suppressions, refreshes, refreshStatuses, wake: refresher.wake });
  const suspensions = createSuspensions(parts, AccountChanged);
  const addMembers = createAddMembers(broker);
  const importer = createImportRunner({
    mongo,
    logger,
    outbox,
    files,
    imports,
    rowErrors,
    attributes,
    upsertChunk,
    addMembers,
    suspended: suspensions,
  });
  const readMembers = createReadMembers(broker);
  const selectContacts = createSelectContacts({ contacts, readMembers });
  const exporter = createExportRunner({
    mongo,
    logger,
    contacts,
    files,
    exports,
    readMembers,
    selectContacts,
    outbox,
    suspended: suspensions,
  });
  const copies = createCopiesStore(mongo.db, outbox);
  const withdrawExports = createWithdrawExports({ exports, files });
  exposeJobMetrics(parts.metrics, mongo.db, suspensions);
  parts.metrics.gauge('contacts_oldest_open_erasure_seconds', 'Age of the oldest erasure that not every service has confirmed.', () =>
    erasures.oldestOpenSeconds(),
  );
  const eraser = createErasureRunner({
    ...{ mongo, logger, broker, outbox, erasures, leftovers, copies, timeline, merges, consentLog, withdrawExports, rowErrors },
  });

  const deletions = createDeletions({ contacts, deleted, leftovers, removeContact, outbox });
  const deleter = createDeletionRunner({ mongo, logger, deleted, deletions });
  const erase = createErase({
    ...{ contacts, merges, suppressions, refreshes, erasures, leftovers, deleted, deletions, removeContact, outbox, wake: eraser.wake },
  });
  const bulk = createBulkRunner({
    ...{ mongo, logger, jobs: bulkJobs, results: bulkResults, suspended: suspensions },
    selectContacts,
    addMembers,
    applyAction: createApplyAction({ contacts, merges, deletions, loadFacts, saveContacts, suppress }),
  });
  // Earlier versions indexed no words, text by lower case only, and letters such as ı and ł as they are.
  const indexOnce = createOnce({ db: mongo.db, logger }, 'index words without special letters', (after) =>
    contacts.indexTextAgain(after === null ? null : trustedId<'contact'>(after), 500),
  );

  const accountErasure = createAccountErasure(parts, ContactsAccountErased);

  const app = createServer(parts);
  app.server.requestTimeout = requestTimeoutMs;
  listContacts(app, { contacts });
  createContact(app, { loadFacts, saveContacts, transact });
  upsertContact(app, { contacts, merges, loadFacts, saveContacts, transact });
  batchContacts(app, { upsertContacts, addMembers, broker, claimFirst });
  searchContacts(app, { contacts, attributes, cursors });
  listAttributes(app, { attributes, contacts, cursors });
  getSettings(app, { settings });
  updateSettings(app, { settings, transact });

  listImports(app, { imports });
  createImport(app, { imports, files, broker, claimFirst, wake: importer.wake });
  getImport(app, { imports });
  getRowErrors(app, { imports, rowErrors });
  cancelImport(app, { imports, outbox, transact, wake: importer.wake });
  listExports(app, { exports });
  createExport(app, { exports, attributes, broker, transact, wake: exporter.wake });
  getExport(app, { exports });
  downloadExport(app, { exports, files });

  listBulkJobs(app, { jobs: bulkJobs });
  createBulkJob(app, { jobs: bulkJobs, attributes, broker, transact, wake: bulk.wake });
  getBulkJob(app, { jobs: bulkJobs });
  downloadResults(app, { jobs: bulkJobs, results: bulkResults });
  cancelBulkJob(app, { jobs: bulkJobs, transact });

  listSuppressions(app, { suppressions });
  addSuppression(app, { suppress, transact });
  getSuppression(app, { suppressions });
  removeSuppression(app, { suppress, transact });
  getErasure(app, { erasures });

  getContact(app, { contacts });
  updateContact(app, { contacts, merges, loadFacts, saveContacts, transact });
  deleteContact(app, { contacts, deletions, transact });
  restoreContact(app, { contacts, deleted, loadFacts, saveContacts, transact });
  getConsent(app, { contacts });
  changeConsent(app, { contacts, merges, loadFacts, saveContacts, transact });
  listConsentLog(app, { contacts, consentLog });
  getTimeline(app, { contacts, timeline });
  listMerges(app, { contacts, merges });
  mergeContacts(app, { contacts, merges, timeline, outbox, loadFacts, saveContacts, removeContact, transact });
  undoMerge(app, { contacts, consentLog, merges, timeline, outbox, loadFacts, saveContacts, transact });
  eraseContact(app, { contacts, deleted, erase, transact });

  return {
    app,
    prepare: async () => {
      await stores.prepare();
      await suspensions.prepare();
      await indexOnce.prepare();
    },
    consumers: [accountErasure.consumer, ...createConsumers(parts, { stores, loadFacts, saveContacts, suppress }), suspensions.consumer],
    answers: [
      replyToCheckFields(broker, { attributes }),
      ...replyToContactRequests(broker, { contacts, attributes, suppressions }),
      replyWithPosition(parts, positionRequests.contacts, streams.contacts, [statusesRefreshed(refreshes)]),
    ],
    // An import found in a restored backup must not restore contacts that were erased since.
    background: [
      accountErasure.background,
      suspensions,
      indexOnce,
      refresher,
      outward(importer),
      outward(exporter),
      outward(bulk),
      eraser,
      deleter,
    ],
    exportJournal: createExportJournal(broker),
    applyJournal: createApplyJournal({ mongo, contacts, deleted, erasures, suppressions, suppress, erase, loadFacts, saveContacts }),
  };
}
