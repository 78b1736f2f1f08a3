import { MessageResubscribed, MessageTopicsChanged, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import type { AccountId, ContactId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ConsentsBody } from '../consent/consent.ts';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { LoadContext } from './account-context.ts';
import { changeContact } from './contact.ts';
import type { ContactsStore } from './contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from './save-contacts.ts';

type Deps = {
  contacts: ContactsStore;
  deleted: DeletedContactsStore;
  consentLog: ConsentLogStore;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
};

/** A consent given or withdrawn in an email also applies to a deleted contact, which has it if it is restored. */
async function applyConsent(
  tx: Transaction,
  { contacts, deleted, consentLog, loadContext, saveContacts }: Deps,
  { accountId, contactId, consent }: { accountId: AccountId; contactId: ContactId; consent: ConsentsBody },
) {
  const found = await contacts.findOne(accountId, contactId, tx);
  const before = found ?? (await deleted.find(accountId, contactId, tx))?.contact;
  if (!before) return;
  const context = await loadContext(accountId, [before]);
  const { contact, changed } = changeContact(before, { consent }, context);
  const draft = changedDraft(before, contact, { changed, body: consent });
  if (found && hasNews(draft)) await saveContacts(tx, accountId, { context, drafts: [draft] });
  if (found || !hasNews(draft)) return;
  await deleted.setConsent(tx, accountId, before.id, contact.consent);
  await consentLog.add(tx, accountId, draft.consents);
}

/** An unsubscribe link unsubscribes the contact from email; older consent that arrives later does not undo it. */
export const onMessageUnsubscribed = (deps: Deps) =>
  on(MessageUnsubscribed, async (tx, { account_id: accountId, data: { contact_id: contactId, recipient_id, at, evidence } }) => {
    const proof = { source: evidence, text: `message ${recipient_id}` };
    const consent: ConsentsBody = { email: { status: 'unsubscribed', method: 'link', at, evidence: proof } };
    await applyConsent(tx, deps, { accountId, contactId, consent });
  });

/** The form of the preference page subscribes a contact again that had unsubscribed. Bounces and complaints suppress it as before. */
export const onMessageResubscribed = (deps: Deps) =>
  on(MessageResubscribed, async (tx, { account_id: accountId, data: { contact_id: contactId, at, evidence, text } }) => {
    const consent: ConsentsBody = { email: { status: 'subscribed', method: 'form', at, evidence: { source: evidence, text } } };
    await applyConsent(tx, deps, { accountId, contactId, consent });
  });

/** The preference page, or the one-click request of an email about a topic, changes the consent by topic. */
export const onMessageTopicsChanged = (deps: Deps) =>
  on(MessageTopicsChanged, async (tx, { account_id: accountId, data: { contact_id: contactId, recipient_id, at, evidence, topics } }) => {
    const proof = { source: evidence, text: `message ${recipient_id}` };
    const chosen = topics.map(({ topic, status }) => [topic, { email: { status, method: 'link' as const, at, evidence: proof } }]);
    await applyConsent(tx, deps, { accountId, contactId, consent: { topics: Object.fromEntries(chosen) } });
  });
