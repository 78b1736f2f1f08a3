import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { answerContactQuestions } from './contacts/answer-contact-questions.ts';
import { batchContacts } from './contacts/batch-contacts.ts';
import { createContactsStore } from './contacts/contacts-store.ts';
import { createContact } from './contacts/create-contact.ts';
import { deleteContact } from './contacts/delete-contact.ts';
import { getContact } from './contacts/get-contact.ts';
import { listContacts } from './contacts/list-contacts.ts';
import { onEffectRequested } from './contacts/on-effect-requested.ts';
import { onMessageUnsubscribed } from './contacts/on-message-unsubscribed.ts';
import { updateContact } from './contacts/update-contact.ts';

/** The service on one screen: its stores, its routes, its consumers, its answers to other services. */
export function buildApp(parts: Parts): App {
  const { mongo, outbox, transact, claimFirst, cursors, broker } = parts;
  const contacts = createContactsStore(mongo.db, outbox, cursors);

  const app = createServer(parts);
  listContacts(app, { contacts });
  createContact(app, { contacts, transact });
  batchContacts(app, { contacts, claimFirst, mongo });
  getContact(app, { contacts });
  updateContact(app, { contacts, transact });
  deleteContact(app, { contacts, transact });

  return {
    app,
    prepare: () => contacts.prepare(),
    consumers: [
      createConsumer(parts, {
        name: 'contacts-campaigns',
        stream: streams.campaigns,
        filter: MessageUnsubscribed.subject,
        handlers: [onMessageUnsubscribed(contacts)],
      }),
      createConsumer(parts, {
        name: 'contacts-workflows',
        stream: streams.workflows,
        filter: ContactEffectRequested.subject,
        handlers: [onEffectRequested(contacts, outbox)],
      }),
    ],
    answers: answerContactQuestions(broker, { contacts }),
  };
}
