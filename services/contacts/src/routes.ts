import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/service-parts';
import { listAttributes } from './attributes/list-attributes.ts';
import { createAudit } from './audit/audit.ts';
import { cancelBulkJob } from './bulk/cancel-bulk-job.ts';
import { createBulkJob } from './bulk/create-bulk-job.ts';
import { downloadResults } from './bulk/download-results.ts';
import { getBulkJob } from './bulk/get-bulk-job.ts';
import { listBulkJobs } from './bulk/list-bulk-jobs.ts';
import { getConsent } from './consent/get-consent.ts';
import { listConsentLog } from './consent/list-consent-log.ts';
import type { LoadContext } from './contacts/account-context.ts';
import { batchContacts } from './contacts/batch-contacts.ts';
import { changeConsent } from './contacts/change-consent.ts';
import { createContact } from './contacts/create-contact.ts';
import { deleteContact } from './contacts/delete-contact.ts';
import { getContact } from './contacts/get-contact.ts';
import { listContacts } from './contacts/list-contacts.ts';
import type { RemoveContact, SaveContacts } from './contacts/save-contacts.ts';
import { searchContacts } from './contacts/search-contacts.ts';
import { updateContact } from './contacts/update-contact.ts';
import { upsertContact } from './contacts/upsert-contact.ts';
import type { UpsertContacts } from './contacts/upsert-contacts.ts';
import type { Deletions } from './deletions/delete.ts';
import { restoreContact } from './deletions/restore-contact.ts';
import type { Erase } from './erasures/erase.ts';
import { eraseContact } from './erasures/erase-contact.ts';
import { getErasure } from './erasures/get-erasure.ts';
import { createExport } from './exports/create-export.ts';
import { downloadExport } from './exports/download-export.ts';
import { getExport } from './exports/get-export.ts';
import { listExports } from './exports/list-exports.ts';
import type { ReadConsequences } from './files/consequences.ts';
import { archiveForm } from './forms/archive-form.ts';
import type { DryRun } from './forms/carry-out-submission.ts';
import { createCheckReferences } from './forms/check-references.ts';
import { createForm } from './forms/create-form.ts';
import { deleteForm } from './forms/delete-form.ts';
import { dryRunForm } from './forms/dry-run-form.ts';
import { duplicateForm } from './forms/duplicate-form.ts';
import type { FormOf } from './forms/form.ts';
import { getForm } from './forms/get-form.ts';
import { listFormVersions } from './forms/list-form-versions.ts';
import { listForms } from './forms/list-forms.ts';
import { reportForm } from './forms/report-form.ts';
import { updateForm } from './forms/update-form.ts';
import { cancelImport } from './imports/cancel-import.ts';
import { createImport } from './imports/create-import.ts';
import { getImport } from './imports/get-import.ts';
import { getRowErrors } from './imports/get-row-errors.ts';
import { listImports } from './imports/list-imports.ts';
import { listMerges } from './merges/list-merges.ts';
import { mergeContacts } from './merges/merge-contacts.ts';
import { undoMerge } from './merges/undo-merge.ts';
import type { AddMembers } from './segments/segment-members.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import type { Stores } from './stores.ts';
import { addSuppression } from './suppressions/add-suppression.ts';
import { batchSuppressions } from './suppressions/batch-suppressions.ts';
import { getSuppression } from './suppressions/get-suppression.ts';
import { listSuppressions } from './suppressions/list-suppressions.ts';
import { removeSuppression } from './suppressions/remove-suppression.ts';
import type { Suppress } from './suppressions/suppress.ts';
import { getTimeline } from './timeline/get-timeline.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'outbox' | 'transact' | 'claimFirst' | 'cursors' | 'broker'>;
  stores: Stores;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  removeContact: RemoveContact;
  upsertContacts: UpsertContacts;
  addMembers: AddMembers;
  suppress: Suppress;
  deletions: Deletions;
  erase: Erase;
  readConsequences: ReadConsequences;
  formOf: FormOf;
  dryRun: DryRun;
  /** Starts the work of a new job at once. */
  wake: { imports: () => void; exports: () => void; bulk: () => void };
};

/** Every route of the service. */
export function addRoutes(app: Server, { parts, stores, ...wiring }: Wiring) {
  const { mongo, outbox, transact, claimFirst, cursors, broker } = parts;
  const { contacts, deleted, attributes, consentLog, suppressions, settings, timeline, merges, erasures } = stores;
  const { files, imports, rowErrors, exports, bulkJobs, bulkResults, forms, formCounts } = stores;
  const {
    loadContext,
    saveContacts,
    removeContact,
    upsertContacts,
    addMembers,
    suppress,
    deletions,
    erase,
    readConsequences,
    formOf,
    dryRun,
    wake,
  } = wiring;

  const audit = createAudit(outbox);
  listContacts(app, { contacts });
  createContact(app, { loadContext, saveContacts, transact });
  upsertContact(app, { contacts, merges, loadContext, saveContacts, transact });
  batchContacts(app, { upsertContacts, addMembers, broker, claimFirst });
  searchContacts(app, { contacts, attributes, cursors });
  listAttributes(app, { attributes, contacts, cursors });
  getSettings(app, { settings });
  updateSettings(app, { settings, transact });

  listImports(app, { imports });
  createImport(app, { imports, files, broker, claimFirst, wake: wake.imports });
  getImport(app, { imports, readConsequences });
  getRowErrors(app, { imports, rowErrors });
  cancelImport(app, { imports, outbox, transact, wake: wake.imports });
  listExports(app, { exports });
  createExport(app, { exports, attributes, broker, audit, transact, wake: wake.exports });
  getExport(app, { exports });
  downloadExport(app, { exports, files, mongo, audit });

  listBulkJobs(app, { jobs: bulkJobs });
  createBulkJob(app, { jobs: bulkJobs, attributes, forms, broker, audit, transact, wake: wake.bulk });
  getBulkJob(app, { jobs: bulkJobs, readConsequences });
  downloadResults(app, { jobs: bulkJobs, results: bulkResults });
  cancelBulkJob(app, { jobs: bulkJobs, audit, transact });

  listSuppressions(app, { suppressions });
  addSuppression(app, { suppress, transact });
  batchSuppressions(app, { suppress, mongo, claimFirst });
  getSuppression(app, { suppressions });
  removeSuppression(app, { suppress, transact });
  getErasure(app, { erasures });

  const checkReferences = createCheckReferences(broker);
  listForms(app, { forms, formOf });
  createForm(app, { forms, formOf, checkReferences, transact });
  getForm(app, { forms, formOf });
  updateForm(app, { forms, formOf, checkReferences, transact });
  listFormVersions(app, { forms });
  reportForm(app, { forms, formCounts, broker });
  dryRunForm(app, { forms, dryRun });
  archiveForm(app, { forms, formOf, transact });
  duplicateForm(app, { forms, formOf, transact });
  deleteForm(app, { forms, transact });

  getContact(app, { contacts });
  updateContact(app, { contacts, merges, loadContext, saveContacts, transact });
  deleteContact(app, { contacts, deletions, audit, transact });
  restoreContact(app, { contacts, deleted, loadContext, saveContacts, audit, transact });
  getConsent(app, { contacts });
  changeConsent(app, { contacts, merges, loadContext, saveContacts, transact });
  listConsentLog(app, { contacts, consentLog });
  getTimeline(app, { contacts, timeline });
  listMerges(app, { contacts, merges });
  mergeContacts(app, { contacts, merges, timeline, outbox, loadContext, saveContacts, removeContact, transact });
  undoMerge(app, { contacts, consentLog, merges, timeline, outbox, loadContext, saveContacts, transact });
  eraseContact(app, { contacts, deleted, erase, audit, transact });
}
