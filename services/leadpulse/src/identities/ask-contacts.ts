import { foundAtOnce } from '@mp/contracts/questions/contacts';
import { findContacts } from '@mp/contracts/questions/find-contacts';
import type { Broker } from '@mp/service-kit/broker';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { learnContact } from './learn-contact.ts';

type Parts = { broker: Broker; mongo: Mongo; logger: Logger };
type Stores = { identities: IdentitiesStore; visitors: VisitorsStore };

const answerMs = 1_000;
const quietMs = 10_000;

/**
 * Asks contacts once for names whose contact has not been heard of yet. Without an answer counting goes on: the names
 * stay claims, and the contact's own event, or the next claim, finds them.
 */
export function createContactsAsker({ broker, mongo, logger }: Parts, stores: Stores) {
  const asking = createFailureLog(logger, 'contacts did not reply; visitors are recognised later');
  let quietUntil = 0;

  return async function askContacts(accountId: string, claims: readonly string[]) {
    if (!broker.ready() || Date.now() < quietUntil) return;
    const named = (prefix: string) =>
      claims
        .filter((claim) => claim.startsWith(prefix))
        .map((claim) => claim.slice(prefix.length))
        .slice(0, foundAtOnce);
    const [ids, emails] = [named('contact:'), named('email:')];
    if (ids.length + emails.length === 0) return;
    const asked = [...ids.map((id) => `contact:${id}`), ...emails.map((email) => `email:${email}`)];
    try {
      await findContacts(
        (question, wanted) => broker.ask(question, wanted, answerMs),
        { account_id: accountId, ids, emails },
        async (contacts) => {
          for (const contact of contacts)
            await mongo.transaction({ correlationId: contact.id, causationId: null }, (tx) => learnContact(tx, stores, accountId, contact));
        },
      );
      await stores.identities.markAsked(accountId, asked);
      asking.succeeded();
    } catch (error) {
      quietUntil = Date.now() + quietMs;
      asking.failed(error);
    }
  };
}
