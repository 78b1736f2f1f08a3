import { ContactsAccountErased } from '@mp/contracts/events/contacts';
import { AccountChanged } from '@mp/contracts/events/platform';
import { backlogRequests } from '@mp/contracts/requests/backlogs';
import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { trustedId } from '@mp/ids';
import { createServer } from '@mp/service-kit/create-server';
import { outward } from '@mp/service-kit/maintenance';
import { createOnce } from '@mp/service-kit/once';
import { replyWithBacklog } from '@mp/service-kit/reply-backlog';
import { createPositionOf } from '@mp/service-kit/reply-position';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createAudit } from './audit/audit.ts';
import { createApplyAction } from './bulk/apply-action.ts';
import { createBulkRunner } from './bulk/bulk-worker.ts';
import { createRequestConfirmations } from './bulk/request-confirmations.ts';
import { createSelectContacts } from './bulk/select-contacts.ts';
import { createStartWorkflow } from './bulk/start-workflow.ts';
import { createConsumers } from './consumers.ts';
import { createLoadContext } from './contacts/account-context.ts';
import { replyToContactRequests } from './contacts/contact-replies.ts';
import { createSaveContacts } from './contacts/save-contacts.ts';
import { createUpsertContacts } from './contacts/upsert-contacts.ts';
import { createDeletions } from './deletions/delete.ts';
import { createDeletionRunner } from './deletions/deletion-runner.ts';
import { replyToCheckFields } from './effects/reply-check-fields.ts';
import type { ContactsConfig } from './env.ts';
import { createCopiesStore } from './erasures/copies-store.ts';
import { createErase } from './erasures/erase.ts';
import { createErasureRunner } from './erasures/erasure-worker.ts';
import { createExportRunner } from './exports/export-worker.ts';
import { createWithdrawExports } from './exports/withdraw-exports.ts';
import { createReadConsequences } from './files/consequences.ts';
import { exposeJobMetrics } from './files/job-metrics.ts';
import { createFormResource } from './forms/form.ts';
import { createForms } from './forms/forms.ts';
import { createImportRunner } from './imports/import-worker.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createExportJournal } from './journal/export-journal.ts';
import { addRoutes } from './routes.ts';
import { createAddMembers, createReadMembers } from './segments/segment-members.ts';
import { createStores } from './stores.ts';
import { createRefreshStatuses, createStatusRefresher, statusesRefreshed } from './suppressions/refresh-statuses.ts';
import { createSuppress } from './suppressions/suppress.ts';

/** Long enough for a large file over a slow line; the gateway protects against slow clients. */
const requestTimeoutMs = 60 * 60_000;

/** Wires the service: its rules, routes, consumers, replies to other services and background work. */
export function buildApp(
  parts: Parts,
  { LINK_KEYS: linkKeys, PUBLIC_URL, FORMS_URL }: ContactsConfig = { LINK_KEYS: parts.contextKeys, PUBLIC_URL: 'http://localhost:8080' },
): App {
  const { mongo, outbox, broker, logger } = parts;
  const stores = createStores(parts);
  const { contacts, deleted, attributes, consentLog, suppressions, refreshes, settings, timeline, merges, erasures, leftovers } = stores;
  const { files, imports, rowErrors, exports, bulkJobs, bulkResults } = stores;

  const loadContext = createLoadContext({ attributes, suppressions, settings });
  const { save: saveContacts, remove: removeContact } = createSaveContacts({
    ...{ contacts, attributes, consentLog, timeline, outbox },
    optIns: stores.optIns,
  });
  const { upsertContacts, upsertChunk } = createUpsertContacts({ mongo, contacts, merges, loadContext, saveContacts });
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
    consentLog,
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
    ...{ optIns: stores.optIns, submissions: stores.submissions },
  });

  const deletions = createDeletions({ contacts, deleted, leftovers, removeContact, outbox });
  const deleter = createDeletionRunner({ mongo, logger, deleted, deletions });
  const erase = createErase({
    ...{ contacts, merges, suppressions, refreshes, erasures, leftovers, deleted, deletions, removeContact, outbox, wake: eraser.wake },
  });
  const hostedForms = createForms({
    ...{ parts, stores, loadContext, saveContacts, removeContact, addMembers, linkKeys },
    suspended: suspensions,
  });
  const requestConfirmations = createRequestConfirmations({
    ...{ contacts, loadContext, forms: stores.forms, optIns: stores.optIns, formCounts: stores.formCounts },
    requestConfirmation: hostedForms.requestConfirmation,
  });
  const bulk = createBulkRunner({
    ...{ mongo, logger, audit: createAudit(outbox), jobs: bulkJobs, results: bulkResults, suspended: suspensions },
    selectContacts,
    addMembers,
    startWorkflow: createStartWorkflow({ broker, contacts }),
    applyAction: createApplyAction({ contacts, merges, deletions, loadContext, saveContacts, suppress, requestConfirmations }),
  });
  // Earlier versions indexed no words, text by lower case only, and letters such as ı and ł as they are.
  const indexOnce = createOnce({ db: mongo.db, logger }, 'index words without special letters', (after) =>
    contacts.indexTextAgain(after === null ? null : trustedId<'contact'>(after), 500),
  );

  const accountErasure = createAccountErasure(parts, ContactsAccountErased);

  const positionOf = createPositionOf(parts, streams.contacts, [statusesRefreshed(refreshes)]);
  const app = createServer(parts);
  app.server.requestTimeout = requestTimeoutMs;
  addRoutes(app, {
    ...{ parts, stores, loadContext, saveContacts, removeContact, upsertContacts, addMembers, suppress, deletions, erase },
    formOf: createFormResource(FORMS_URL ?? PUBLIC_URL),
    dryRun: hostedForms.dryRun,
    readConsequences: createReadConsequences({ broker, logger, positionOf }),
    wake: { imports: importer.wake, exports: exporter.wake, bulk: bulk.wake },
  });
  hostedForms.addPages(app);

  return {
    app,
    prepare: async () => {
      await stores.prepare();
      await suspensions.prepare();
      await indexOnce.prepare();
    },
    consumers: [
      accountErasure.consumer,
      ...createConsumers(parts, { stores, loadContext, saveContacts, upsertChunk, suppress }),
      suspensions.consumer,
    ],
    replies: [
      replyToCheckFields(broker, { attributes }),
      ...replyToContactRequests(broker, { contacts, attributes, suppressions }),
      () => broker.reply(positionRequests.contacts, positionOf),
      replyWithBacklog(parts, backlogRequests.contacts),
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
      ...hostedForms.background,
    ],
    exportJournal: createExportJournal(broker),
    applyJournal: createApplyJournal({ mongo, contacts, deleted, erasures, suppressions, suppress, erase, loadContext, saveContacts }),
  };
}
