import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { createAttributesStore } from './attributes/attributes-store.ts';
import { listAttributes } from './attributes/list-attributes.ts';
import { createConsentLogStore } from './consent/consent-log-store.ts';
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
import { updateContact } from './contacts/update-contact.ts';
import { upsertContact } from './contacts/upsert-contact.ts';
import { createUpsertContacts } from './contacts/upsert-contacts.ts';
import { createLeftoversStore } from './erasures/leftovers-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { createSuppressionsStore } from './suppressions/suppressions-store.ts';
import { createTimelineStore } from './timeline/timeline-store.ts';

/** The service on one screen: its stores, its routes, its consumers, its answers to other services. */
export function buildApp(parts: Parts): App {
  const { mongo, outbox, transact, claimFirst, cursors, broker } = parts;
  const contacts = createContactsStore(mongo.db, cursors);
  const attributes = createAttributesStore(mongo.db);
  const suppressions = createSuppressionsStore(mongo.db, outbox, cursors);
  const settings = createSettingsStore(mongo.db);
  const consentLog = createConsentLogStore(mongo.db, cursors);
  const timeline = createTimelineStore(mongo.db, cursors);
  const leftovers = createLeftoversStore(mongo.db);
  const stores = [contacts, attributes, suppressions, settings, consentLog, timeline, leftovers];

  const loadFacts = createLoadFacts({ attributes, suppressions, settings });
  const { save: saveContacts, remove: removeContact } = createSaveContacts({ contacts, attributes, consentLog, timeline, outbox });
  const { upsertContacts } = createUpsertContacts({ mongo, contacts, loadFacts, saveContacts });

  const app = createServer(parts);
  listContacts(app, { contacts });
  createContact(app, { loadFacts, saveContacts, transact });
  upsertContact(app, { contacts, loadFacts, saveContacts, transact });
  batchContacts(app, { upsertContacts, claimFirst });
  getContact(app, { contacts });
  updateContact(app, { contacts, loadFacts, saveContacts, transact });
  deleteContact(app, { contacts, leftovers, removeContact, transact });
  listAttributes(app, { attributes, contacts, cursors });

  return {
    app,
    prepare: async () => {
      for (const store of stores) await store.prepare();
    },
    consumers: [
      createConsumer(parts, {
        name: 'contacts-campaigns',
        stream: streams.campaigns,
        filter: MessageUnsubscribed.subject,
        handlers: [onMessageUnsubscribed({ contacts, loadFacts, saveContacts })],
      }),
      createConsumer(parts, {
        name: 'contacts-workflows',
        stream: streams.workflows,
        filter: ContactEffectRequested.subject,
        handlers: [onEffectRequested({ contacts, loadFacts, saveContacts, outbox })],
      }),
    ],
    answers: answerContactQuestions(broker, { contacts }),
  };
}
