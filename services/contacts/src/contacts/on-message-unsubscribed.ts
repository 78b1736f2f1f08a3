import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import { changeContact } from './contact.ts';
import type { ContactsStore } from './contacts-store.ts';

/** Whoever unsubscribed by a link in a mail is unsubscribed from e-mail, whatever the account sets later by accident of order. */
export const onMessageUnsubscribed = (contacts: ContactsStore) =>
  on(MessageUnsubscribed, async (tx, { account_id, data }) => {
    const before = await contacts.findOne(account_id, data.contact_id, tx);
    if (!before) return;
    const { contact, changed } = changeContact(before, { consent: { email: { status: 'unsubscribed', method: 'link', at: data.at } } });
    if (changed.length > 0) await contacts.replace(tx, account_id, contact, changed, false);
  });
