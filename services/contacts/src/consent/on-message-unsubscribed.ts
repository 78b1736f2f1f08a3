import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { LoadFacts } from '../contacts/account-facts.ts';
import { changeContact } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { ConsentLogStore } from './consent-log-store.ts';

type Deps = {
  contacts: ContactsStore;
  deleted: DeletedContactsStore;
  consentLog: ConsentLogStore;
  loadFacts: LoadFacts;
  saveContacts: SaveContacts;
};

/**
 * An unsubscribe link unsubscribes the contact from email; older consent that arrives later does not undo it. A deleted contact is
 * unsubscribed if it is restored.
 */
export const onMessageUnsubscribed = ({ contacts, deleted, consentLog, loadFacts, saveContacts }: Deps) =>
  on(MessageUnsubscribed, async (tx, { account_id, data }) => {
    const found = await contacts.findOne(account_id, data.contact_id, tx);
    const before = found ?? (await deleted.find(account_id, data.contact_id, tx))?.contact;
    if (!before) return;
    const evidence = { source: data.evidence, text: `message ${data.recipient_id}` };
    const consent = { email: { status: 'unsubscribed', method: 'link', at: data.at, evidence } } as const;
    const facts = await loadFacts(account_id, [before]);
    const { contact, changed } = changeContact(before, { consent }, facts);
    const draft = changedDraft(before, contact, changed, consent);
    if (found && hasNews(draft)) await saveContacts(tx, account_id, facts, [draft]);
    if (found || !hasNews(draft)) return;
    await deleted.setConsent(tx, account_id, before.id, contact.consent);
    await consentLog.add(tx, account_id, draft.consents);
  });
