import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { LoadFacts } from '../contacts/account-facts.ts';
import { changeContact } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';

type Deps = { contacts: ContactsStore; loadFacts: LoadFacts; saveContacts: SaveContacts };

/** An unsubscribe link unsubscribes the contact from email; older consent that arrives later does not undo it. */
export const onMessageUnsubscribed = ({ contacts, loadFacts, saveContacts }: Deps) =>
  on(MessageUnsubscribed, async (tx, { account_id, data }) => {
    const before = await contacts.findOne(account_id, data.contact_id, tx);
    if (!before) return;
    const evidence = { source: data.evidence, text: `message ${data.recipient_id}` };
    const consent = { email: { status: 'unsubscribed', method: 'link', at: data.at, evidence } } as const;
    const facts = await loadFacts(account_id, [before]);
    const { contact, changed } = changeContact(before, { consent }, facts);
    const draft = changedDraft(before, contact, changed, consent);
    if (hasNews(draft)) await saveContacts(tx, account_id, facts, [draft]);
  });
