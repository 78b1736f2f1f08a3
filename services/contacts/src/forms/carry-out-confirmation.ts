import { suppressionHash } from '@mp/contracts/contact';
import { FormConfirmed } from '@mp/contracts/events/contacts';
import type { Keyring } from '@mp/contracts/keyring';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { AdditionsStore } from './additions-store.ts';
import { type SubmissionOrigin, withTags } from './carry-out-submission.ts';
import { consentChanges, openAt } from './consent-changes.ts';
import type { FormCountsStore } from './form-counts-store.ts';
import { readLink } from './link-token.ts';
import { type OptInDocument, type OptInsStore, textOf, unitsOf } from './opt-ins-store.ts';
import type { RecordFormEvent } from './record-form-event.ts';

type Deps = {
  mongo: Mongo;
  contacts: ContactsStore;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  optIns: OptInsStore;
  additions: AdditionsStore;
  formCounts: Pick<FormCountsStore, 'add'>;
  recordFormEvent: RecordFormEvent;
  suspended: Suspended;
  linkKeys: Keyring;
};

export type Confirmations = ReturnType<typeof createConfirmations>;

/** What the link of a confirmation email names, and what its button does. */
export function createConfirmations(deps: Deps) {
  const { mongo, contacts, loadContext, saveContacts, optIns, additions, formCounts, recordFormEvent, suspended, linkKeys } = deps;

  /** The request and its contact; undefined if the link is void, such as after a change of the address. */
  async function awaited(accountId: OptInDocument['account_id'], id: OptInDocument['_id'], tx?: Transaction) {
    const row = suspended.has(accountId) ? undefined : await optIns.find(accountId, id, tx);
    if (!row || row.state === 'expired') return undefined;
    const contact = await contacts.findOne(accountId, row.contact_id, tx);
    if (!contact?.email || suppressionHash(accountId, 'email', contact.email) !== row.address) return undefined;
    return { row, contact };
  }

  async function carryOut(tx: Transaction, accountId: OptInDocument['account_id'], id: OptInDocument['_id'], seen: SubmissionOrigin) {
    const found = await awaited(accountId, id, tx);
    // A link that was used before changes nothing, whatever has happened since.
    if (!found || found.row.state === 'confirmed') return found?.row;
    const { row, contact: before } = found;
    const context = await loadContext(accountId, [before]);
    const requests = await optIns.ofContact(tx, accountId, await contacts.idsOf(accountId, before.id, tx));
    const { ip, userAgent: user_agent, at } = seen;
    const source = row.page ?? (row.job_id && `bulk job ${row.job_id}`);
    const proof = { ip, user_agent, form_id: row.form_id, form_version: row.form_version, submitted_at: row.submitted_at.toISOString() };
    const changes = consentChanges(
      unitsOf(row.consents),
      {
        event: 'confirm',
        request: row._id,
        consent: before.consent,
        open: openAt(requests, row.address),
        isSuppressed: context.suppressionOf(before.email ?? '') !== undefined,
      },
      (unit) => {
        return {
          method: 'double_opt_in',
          evidence: { ...proof, ...(source && { source }), text: textOf(row.consents, unit) },
        };
      },
    );
    if (!changes.isDone) return undefined;
    const change = { consent: changes.body, tags: withTags(before.tags, row.after.tags) };
    const { contact, changed } = changeContact(before, change, context, { now: at });
    const draft = changedDraft(before, contact, { changed, body: changes.body });
    if (hasNews(draft)) await saveContacts(tx, accountId, { context, drafts: [draft] });
    const { remind_at: _, due_at: __, ...rest } = row;
    const confirmed: OptInDocument = { ...rest, state: 'confirmed', confirmed_at: at };
    await optIns.put(tx, confirmed);
    const { segment_id: segmentId } = row.after;
    if (segmentId !== null) await additions.add(tx, { id: row._id, accountId, contactId: contact.id, segmentId }, at);
    const where = { page: row.page, source: row.source ?? null };
    await formCounts.add(accountId, { formId: row.form_id, at, where, counts: { confirmations: 1 } }, tx);
    await recordFormEvent(tx, FormConfirmed, accountId, {
      ...{ opt_in_id: row._id, form_id: row.form_id, form_name: row.form_name, form_version: row.form_version, contact_id: contact.id },
      consents: row.consents.map(({ channel, topics }) => ({ channel, topics })),
      visitor_id: row.visitor_id ?? null,
      submitted_at: row.submitted_at.toISOString(),
      at: at.toISOString(),
    });
    return confirmed;
  }

  return {
    /** The request that a link names; undefined if it can confirm nothing. Reads only, because scanners follow links. */
    async find(token: string, now: Date): Promise<OptInDocument | undefined> {
      const link = readLink(linkKeys, token, now);
      return link && (await awaited(link.accountId, link.optInId))?.row;
    },

    /** Confirms the request, once; returns it, or undefined if the link is void. */
    async confirm(token: string, seen: SubmissionOrigin): Promise<OptInDocument | undefined> {
      const link = readLink(linkKeys, token, seen.at);
      if (!link) return undefined;
      const { accountId, optInId } = link;
      const origin = { correlationId: seen.requestId, causationId: null };
      return mongo.transaction(origin, (tx) => carryOut(tx, accountId, optInId, seen), { contendsFor: `${accountId} ${optInId}` });
    },
  };
}
