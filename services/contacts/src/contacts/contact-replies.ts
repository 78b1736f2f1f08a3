import { AccountsWithContacts, AttributeTypesOf, ContactsFind, ContactsPage, ContactsSuppressed } from '@mp/contracts/requests/contacts';
import type { Broker } from '@mp/service-kit/broker';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { SuppressionsStore } from '../suppressions/suppressions-store.ts';
import type { ContactsStore } from './contacts-store.ts';

/** Replies to other services that fill their projections of contacts or need data they have not received yet. */
export const replyToContactRequests = (
  broker: Broker,
  { contacts, attributes, suppressions }: { contacts: ContactsStore; attributes: AttributesStore; suppressions: SuppressionsStore },
) => [
  () => broker.reply(ContactsPage, ({ account_id, after, limit }) => contacts.pageById(account_id, after, limit)),
  () => broker.reply(ContactsFind, ({ account_id, ...named }) => contacts.find(account_id, named)),
  () =>
    broker.reply(AttributeTypesOf, async ({ account_id, keys }) => ({
      types: Object.fromEntries(await attributes.typesOf(account_id, keys)),
    })),
  () =>
    broker.reply(ContactsSuppressed, async ({ account_id, emails }) => {
      const reasonOf = await suppressions.ofEmails(account_id, emails);
      return {
        suppressed: emails.flatMap((email) => {
          const reason = reasonOf(email);
          return reason ? [{ email, reason }] : [];
        }),
      };
    }),
  () => broker.reply(AccountsWithContacts, ({ after }) => contacts.accounts(after)),
];
