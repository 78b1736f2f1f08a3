import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { createAttributesStore } from './attributes/attributes-store.ts';
import { listAttributes } from './attributes/list-attributes.ts';
import { changeConsent } from './consent/change-consent.ts';
import { createConsentLogStore } from './consent/consent-log-store.ts';
import { getConsent } from './consent/get-consent.ts';
import { listConsentLog } from './consent/list-consent-log.ts';
import { createLoadFacts } from './contacts/account-facts.ts';
import { answerContactQuestions } from './contacts/answer-contact-questions.ts';
import { batchContacts } from './contacts/batch-contacts.ts';
import { createContactsStore } from './contacts/contacts-store.ts';
import { createContact } from './contacts/create-contact.ts';
import { deleteContact } from './contacts/delete-contact.ts';
import { getContact } from './contacts/get-contact.ts';
import { listContacts } from './contacts/list-contacts.ts';
import { onEffectRequested } from './contacts/on-effect-requested.ts';
import { onMessageUnsubscribed } from './contacts/on-message-unsubscribed.ts';
import { createSaveContacts } from './contacts/save-contacts.ts';
import { searchContacts } from './contacts/search-contacts.ts';
import { updateContact } from './contacts/update-contact.ts';
import { upsertContact } from './contacts/upsert-contact.ts';
import { createUpsertContacts } from './contacts/upsert-contacts.ts';
import { createLeftoversStore } from './erasures/leftovers-store.ts';
import { createExport } from './exports/create-export.ts';
import { createExportsStore } from './exports/exports-store.ts';
import { downloadExport, getExport, listExports } from './exports/read-exports.ts';
import { createExportRunner } from './exports/work-export.ts';
import { createFileChunksStore } from './files/file-chunks-store.ts';
import { cancelImport } from './imports/cancel-import.ts';
import { createImport } from './imports/create-import.ts';
import { getImport } from './imports/get-import.ts';
import { getRowErrors } from './imports/get-row-errors.ts';
import { createImportsStore } from './imports/imports-store.ts';
import { listImports } from './imports/list-imports.ts';
import { createRowErrorsStore } from './imports/row-errors-store.ts';
import { createImportRunner } from './imports/work-import.ts';
import { listMerges } from './merges/list-merges.ts';
import { mergeContacts } from './merges/merge-contacts.ts';
import { createMergesStore } from './merges/merges-store.ts';
import { undoMerge } from './merges/undo-merge.ts';
import { contactSettings } from './settings/contact-settings.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { addSuppression } from './suppressions/add-suppression.ts';
import { listSuppressions } from './suppressions/list-suppressions.ts';
import { onMessageBounced } from './suppressions/on-message-bounced.ts';
import { createRefreshStatuses, createStatusRefresher } from './suppressions/refresh-statuses.ts';
import { removeSuppression } from './suppressions/remove-suppression.ts';
import { createStatusRefreshesStore } from './suppressions/status-refreshes-store.ts';
import { createSuppress } from './suppressions/suppress.ts';
import { createSuppressionsStore } from './suppressions/suppressions-store.ts';
import { createTimelineStore } from './timeline/timeline-store.ts';

/** The service on one screen: its stores, its routes, its consumers, its answers to other services. */
export function buildApp(parts: Parts): App {
  const { mongo, outbox, transact, claimFirst, cursors, broker, logger } = parts;
  const contacts = createContactsStore(mongo.db, cursors);
  const attributes = createAttributesStore(mongo.db);
  const suppressions = createSuppressionsStore(mongo.db, outbox, cursors);
  const refreshes = createStatusRefreshesStore(mongo.db);
  const settings = createSettingsStore(mongo.db);
  const consentLog = createConsentLogStore(mongo.db, cursors);
  const timeline = createTimelineStore(mongo.db, cursors);
  const leftovers = createLeftoversStore(mongo.db);
  const files = createFileChunksStore(mongo.db);
  const imports = createImportsStore(mongo.db, cursors);
  const rowErrors = createRowErrorsStore(mongo.db);
  const exports = createExportsStore(mongo.db, cursors);
  const merges = createMergesStore(mongo.db);
  const stores = [
    contacts,
    attributes,
    suppressions,
    refreshes,
    settings,
    consentLog,
    timeline,
    leftovers,
    files,
    imports,
    rowErrors,
    exports,
    merges,
  ];

  const loadFacts = createLoadFacts({ attributes, suppressions, settings });
  const { save: saveContacts, remove: removeContact } = createSaveContacts({ contacts, attributes, consentLog, timeline, outbox });
  const refreshStatuses = createRefreshStatuses({ contacts, suppressions, saveContacts });
  const refresher = createStatusRefresher({ mongo, logger, refreshes, refreshStatuses });
  const suppress = createSuppress({ suppressions, refreshes, refreshStatuses, wake: refresher.wake });
  const { upsertContacts, upsertChunk } = createUpsertContacts({ mongo, contacts, loadFacts, saveContacts });
  const importer = createImportRunner({ mongo, logger, outbox, files, imports, rowErrors, attributes, upsertChunk });

  const exporter = createExportRunner({ mongo, logger, contacts, files, exports });

  const app = createServer(parts);
  listContacts(app, { contacts });
  createContact(app, { loadFacts, saveContacts, transact });
  upsertContact(app, { contacts, loadFacts, saveContacts, transact });
  searchContacts(app, { contacts, cursors });
  batchContacts(app, { upsertContacts, claimFirst });
  listImports(app, { imports });
  createImport(app, { imports, files, claimFirst, wake: importer.wake });
  getImport(app, { imports });
  getRowErrors(app, { imports, rowErrors });
  cancelImport(app, { imports, outbox, transact });
  listExports(app, { exports });
  createExport(app, { exports, attributes, transact, wake: exporter.wake });
  getExport(app, { exports });
  downloadExport(app, { exports, files });
  getContact(app, { contacts });
  updateContact(app, { contacts, loadFacts, saveContacts, transact });
  deleteContact(app, { contacts, leftovers, removeContact, transact });
  mergeContacts(app, { contacts, merges, timeline, outbox, loadFacts, saveContacts, removeContact, transact });
  undoMerge(app, { contacts, merges, timeline, outbox, loadFacts, saveContacts, transact });
  listMerges(app, { contacts, merges });
  listAttributes(app, { attributes, contacts, cursors });
  contactSettings(app, { settings, transact });
  getConsent(app, { contacts });
  changeConsent(app, { contacts, loadFacts, saveContacts, transact });
  listConsentLog(app, { contacts, consentLog });
  listSuppressions(app, { suppressions });
  addSuppression(app, { suppress, transact });
  removeSuppression(app, { suppress, transact });

  return {
    app,
    prepare: async () => {
      for (const store of stores) await store.prepare();
    },
    consumers: [
      createConsumer(parts, {
        name: 'contacts-campaigns',
        stream: streams.campaigns,
        filter: 'campaigns.message.>',
        handlers: [onMessageUnsubscribed({ contacts, loadFacts, saveContacts }), onMessageBounced({ contacts, suppress })],
      }),
      createConsumer(parts, {
        name: 'contacts-workflows',
        stream: streams.workflows,
        filter: ContactEffectRequested.subject,
        handlers: [onEffectRequested({ contacts, loadFacts, saveContacts, outbox })],
      }),
    ],
    answers: answerContactQuestions(broker, { contacts }),
    background: [refresher, importer, exporter],
  };
}
