import { emailKey } from '@mp/contracts/contact';
import { MessageBounced } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Suppress } from './suppress.ts';

/** An address that is not deliverable is not tried again. */
export const onMessageBounced = ({ contacts, suppress }: { contacts: ContactsStore; suppress: Suppress }) =>
  on(MessageBounced, async (tx, { account_id, data }) => {
    if (!data.hard) return;
    const contact = await contacts.findOne(account_id, data.contact_id, tx);
    if (!contact?.email) return;
    const note = data.reason.slice(0, 500);
    await suppress.add(tx, account_id, { kind: 'email', value: emailKey(contact.email), reason: 'hard_bounce', note });
  });
