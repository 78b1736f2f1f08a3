import { consentInForce } from '@mp/contracts/consent-in-force';
import type { Contact } from '@mp/contracts/contact';
import { suppressionHash } from '@mp/contracts/contact';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import { consentsOfTopic } from '../consent/consent.ts';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, hasNews, type RemoveContact, type SaveContacts } from '../contacts/save-contacts.ts';
import type { LeftoversStore } from '../erasures/leftovers-store.ts';
import { consentChanges, noConsent, openAt } from './consent-changes.ts';
import { isOnlyOfForms, type OptInDocument, type OptInsStore, unitsOf } from './opt-ins-store.ts';
import type { RequestConfirmation } from './request-confirmation.ts';
import type { SubmissionsStore } from './submissions-store.ts';

type Deps = {
  mongo: Mongo;
  logger: Logger;
  contacts: ContactsStore;
  consentLog: ConsentLogStore;
  leftovers: LeftoversStore;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  removeContact: RemoveContact;
  optIns: OptInsStore;
  submissions: SubmissionsStore;
  requestConfirmation: RequestConfirmation;
  suspended: Suspended;
};

const atOnce = 100;

/** Sends reminders, and ends requests that nobody confirmed in 30 days, with the contacts that exist only because of a form. */
export function createOptInRunner(deps: Deps): Runner {
  const { mongo, logger, contacts, consentLog, leftovers, loadContext, saveContacts, removeContact, optIns, submissions } = deps;
  const { requestConfirmation, suspended } = deps;

  /** Clears what was only pending. */
  async function clearPending(tx: Transaction, row: OptInDocument, before: Contact, requests: readonly OptInDocument[]) {
    const accountId = row.account_id;
    const context = await loadContext(accountId, [before]);
    const isSuppressed = before.email !== null && context.suppressionOf(before.email) !== undefined;
    const happening = {
      event: 'expire',
      request: row._id,
      consent: before.consent,
      open: openAt(requests, row.address),
      isSuppressed,
    } as const;
    const { body } = consentChanges(unitsOf(row.consents), happening, () => ({ method: 'form' }));
    const { contact, changed } = changeContact(before, { consent: body }, context);
    const draft = changedDraft(before, contact, { changed, body });
    if (!hasNews(draft)) return;
    await saveContacts(tx, accountId, { context, drafts: [draft] });
    // The change is still one by forms.
    if (isOnlyOfForms(before, requests)) await optIns.put(tx, { ...expired(row), is_new: true, revision: contact.revision });
  }

  async function expire(tx: Transaction, row: OptInDocument) {
    const accountId = row.account_id;
    await optIns.put(tx, expired(row));
    const contact = await contacts.findOne(accountId, row.contact_id, tx);
    if (!contact) return;
    const ids = await contacts.idsOf(accountId, contact.id, tx);
    const requests = await optIns.ofContact(tx, accountId, ids);
    if (!isOnlyOfForms(contact, requests) || requests.some(({ state }) => state !== 'expired')) {
      // What was pending before a bulk job asked stays so.
      if (row.job_id === undefined) await clearPending(tx, row, contact, [...requests.filter(({ _id }) => _id !== row._id), row]);
      return;
    }
    await removeContact(tx, accountId, contact, { mergedIds: ids.slice(1) });
    await leftovers.add(tx, accountId, ids);
    await optIns.erase(accountId, ids, tx);
    await submissions.erase(accountId, ids, tx);
    await consentLog.erase(accountId, ids, tx);
  }

  async function remind(tx: Transaction, row: OptInDocument, now: Date) {
    const accountId = row.account_id;
    const { remind_at: _, ...rest } = row;
    const quiet = { ...rest, due_at: row.expires_at };
    const contact = await contacts.findOne(accountId, row.contact_id, tx);
    const email = contact?.email ?? undefined;
    const isSame = email !== undefined && suppressionHash(accountId, 'email', email) === row.address;
    // There is nothing to remind of where no email was sent, such as in a flood.
    const isWanted = row.mails > 0 && isSame && isAwaited(row, contact?.consent);
    const mayMail = isWanted && (await loadContext(accountId, [{ email }])).suppressionOf(email) === undefined;
    await optIns.put(tx, mayMail ? await requestConfirmation(tx, { ...quiet, reminded: true }, { email, now, isReminder: true }) : quiet);
  }

  return createRunner({
    logger,
    warning: 'sending confirmation reminders or expiring unconfirmed requests failed; retrying',
    async work(signal) {
      const now = new Date();
      const due = await optIns.due(suspended, now, atOnce);
      for (const { account_id: accountId, _id } of due) {
        if (signal.aborted) return true;
        noteInLogs({ account_id: accountId });
        await mongo.transaction({ correlationId: _id, causationId: null }, async (tx) => {
          // Another replica, or the visitor, may have been faster.
          const row = await optIns.find(accountId, _id, tx);
          if (row?.due_at === undefined || row.due_at > now) return;
          await (row.expires_at <= now ? expire(tx, row) : remind(tx, row, now));
        });
      }
      return due.length === atOnce;
    },
  });
}

/** Whether something of the request still awaits its confirmation: it is pending, or was withdrawn before the submission. */
function isAwaited({ consents, submitted_at }: OptInDocument, consent: Contact['consent'] = noConsent): boolean {
  return unitsOf(consents).some(({ channel, topic }) => {
    const status = consentInForce(consent, channel, topic);
    if (status !== 'unsubscribed') return status === 'pending';
    const withdrawn = [consent, consentsOfTopic(consent, topic ?? '')].map((one) => one[channel]);
    return withdrawn.every((one) => one?.status !== 'unsubscribed' || Date.parse(one.at) < submitted_at.getTime());
  });
}

function expired({ remind_at: _, due_at: __, ...row }: OptInDocument): OptInDocument {
  return { ...row, state: 'expired' };
}
