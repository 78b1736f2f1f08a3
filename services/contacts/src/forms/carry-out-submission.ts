import { type Contact, emailKey, suppressionHash } from '@mp/contracts/contact';
import { FormSubmitted } from '@mp/contracts/events/contacts';
import type { PageLanguage } from '@mp/contracts/page-language';
import { type AccountId, newId } from '@mp/ids';
import { isDuplicateKey, type Mongo, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact, newContact } from '../contacts/contact.ts';
import { type ContactChange, maxTags } from '../contacts/contact-body.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, createdDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { AdditionsStore } from './additions-store.ts';
import type { CheckedSubmission } from './check-submission.ts';
import { expiryMs, reminderMs } from './confirmation-limits.ts';
import { consentChanges, noConsent, openAt } from './consent-changes.ts';
import { fillEmpty } from './fill-empty.ts';
import type { Form } from './form.ts';
import type { PublicForm } from './form-cache.ts';
import type { FormCountsStore } from './form-counts-store.ts';
import type { NoteFlood } from './note-flood.ts';
import { isOnlyOfForms, type OptInDocument, type OptInsStore, textOf, type Unit, unitsOf } from './opt-ins-store.ts';
import type { RecordFormEvent } from './record-form-event.ts';
import type { RequestConfirmation } from './request-confirmation.ts';
import type { SubmissionsStore } from './submissions-store.ts';

/** From where a submission came, as its evidence. */
export type SubmissionOrigin = {
  requestId: string;
  ip: string;
  userAgent: string;
  page: string | null;
  language: PageLanguage;
  at: Date;
} & {
  /** Where the visit to the page came from, and the visitor that LeadPulse's script knows there. */
  source: string | null;
  visitor: string | null;
};

type Deps = {
  mongo: Mongo;
  contacts: ContactsStore;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  optIns: OptInsStore;
  submissions: SubmissionsStore;
  formCounts: Pick<FormCountsStore, 'add'>;
  additions: AdditionsStore;
  recordFormEvent: RecordFormEvent;
  requestConfirmation: RequestConfirmation;
  noteFlood: NoteFlood;
};

/** `key` recognises a submission that is sent twice. `isFlooded`: whether the confirmation email that it needs is not requested. */
type Submission = CheckedSubmission & { key: string | undefined; isFlooded: () => boolean; seen: SubmissionOrigin };

export type CarryOutSubmission = ReturnType<typeof createCarryOutSubmission>['carryOutSubmission'];
export type DryRun = ReturnType<typeof createCarryOutSubmission>['dryRun'];

/** What a submission does. `isWithheld`: a confirmation email is due, and not requested because of a flood. */
type Outcome = {
  existing: Contact | undefined;
  changed: readonly string[];
  isSuppressed: boolean;
  awaitsConfirmation: boolean;
  requestsEmail: boolean;
  isWithheld: boolean;
};

/** Aborts the transaction of a dry run. */
class Undone extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('A dry run stores nothing.');
    this.outcome = outcome;
  }
}

/** Carries out a submission in one transaction: the contact, its consent, the evidence, and what is published. */
export function createCarryOutSubmission(deps: Deps) {
  const { mongo, contacts, loadContext, saveContacts, optIns, submissions, formCounts, additions } = deps;
  const { recordFormEvent, requestConfirmation, noteFlood } = deps;

  /** The contact with this address; and the fields without a phone that another contact has, which an error would reveal. */
  async function match(tx: Transaction, accountId: AccountId, body: CheckedSubmission['body']) {
    const { email, phone } = body;
    const found = await contacts.findByIdentities(tx, accountId, [{ email, ...(phone != null && { phone }) }]);
    const existing = found.find((one) => one.email !== null && emailKey(one.email) === emailKey(email));
    const isTaken = phone != null && found.some((one) => one.phone === phone && one.id !== existing?.id);
    const { phone: _, ...others } = body;
    return { existing, fields: isTaken ? others : body };
  }

  async function carryOut(
    tx: Transaction,
    { accountId, form }: PublicForm,
    { body, consents, key, isFlooded, seen }: Submission,
  ): Promise<Outcome> {
    const { existing, fields } = await match(tx, accountId, body);
    const context = await loadContext(accountId, existing ? [existing, fields] : [fields]);
    // Also for a contact that exists, so that the same values are rejected whether or not the address is known.
    newContact({ ...fields, consent: noConsent }, context);

    const address = suppressionHash(accountId, 'email', body.email);
    const requests = existing ? await optIns.ofContact(tx, accountId, await contacts.idsOf(accountId, existing.id, tx)) : [];
    const open = openAt(requests, address);
    const units = unitsOf(consents);
    const earlier = open.find((one) => one.form_id === form.id && sameUnits(unitsOf(one.consents), units));
    const optInId = earlier?._id ?? newId('optIn');
    const evidence = {
      ip: seen.ip,
      user_agent: seen.userAgent,
      form_id: form.id,
      form_version: form.version,
      ...(seen.page !== null && { source: seen.page }),
    };
    const isSuppressed = context.suppressionOf(body.email) !== undefined;
    const changes = consentChanges(
      units,
      {
        event: form.double_opt_in.enabled ? 'submit' : 'submit_directly',
        request: optInId,
        consent: existing?.consent ?? noConsent,
        open,
        isSuppressed,
      },
      (unit) => ({ method: 'form', evidence: { ...evidence, text: textOf(consents, unit) } }),
    );
    // Tags and the segment wait with the consent, and of a form that asks for none for an address that gets email.
    const isGranted = units.length === 0 ? !isSuppressed : changes.isDone && !changes.needsConfirmation;

    const { contact, draft } = drafted({ existing, fields, form, tags: isGranted ? form.tags : [], changes, context, seen });
    if (hasNews(draft))
      await saveContacts(tx, accountId, { context, drafts: [draft], onDuplicate: 'again' }).catch((error: unknown) => {
        throw isDuplicateKey(error) ? transientError('the contact was created concurrently') : error;
      });

    const submissionId = newId('submission');
    const proof = { ip: seen.ip, user_agent: seen.userAgent, page: seen.page };
    await submissions.insert(tx, {
      ...{ _id: submissionId, account_id: accountId, form_id: form.id, form_version: form.version, contact_id: contact.id },
      ...(key !== undefined && { key }),
      ...{ consents, ...proof, at: seen.at },
    });
    const isWithheld = changes.needsConfirmation && isFlooded();
    let requestsEmail = false;
    if (changes.needsConfirmation) {
      const isNew = !existing || isOnlyOfForms(existing, requests);
      // Two visitors who submit the same address cannot both be its owner.
      const visitor = earlier && (earlier.visitor_id ?? null) !== seen.visitor ? null : seen.visitor;
      const row = requestOf({ id: optInId, accountId, form, contact, address, consents, seen, isNew, visitor, earlier });
      const sent = isWithheld ? row : await requestConfirmation(tx, row, { email: contact.email ?? body.email, now: seen.at });
      requestsEmail = sent.mails > row.mails;
      await optIns.put(tx, sent);
    } else if (isGranted && form.segment_id !== null)
      await additions.add(tx, { id: submissionId, accountId, contactId: contact.id, segmentId: form.segment_id }, seen.at);
    const counts = { submissions: 1, new_contacts: existing ? 0 : 1, awaiting_confirmation: changes.needsConfirmation ? 1 : 0 };
    await formCounts.add(accountId, { formId: form.id, at: seen.at, where: seen, counts }, tx);
    await recordFormEvent(tx, FormSubmitted, accountId, {
      submission_id: submissionId,
      ...{ form_id: form.id, form_name: form.name, form_version: form.version, contact_id: contact.id, is_new: !existing },
      consents: consents.map(({ channel, topics }) => ({ channel, topics })),
      awaits_confirmation: changes.needsConfirmation,
      page: seen.page,
      // An address is not a proof. A contact that the submission created has nothing that another person gave it.
      visitor_id: existing || changes.needsConfirmation ? null : seen.visitor,
      at: seen.at.toISOString(),
    });
    const { needsConfirmation: awaitsConfirmation } = changes;
    return { existing, changed: draft.changed, isSuppressed, awaitsConfirmation, requestsEmail, isWithheld };
  }

  const originOf = ({ seen }: Submission) => ({ correlationId: seen.requestId, causationId: null });
  // Submissions of one form add to its counts, and those of one address, mostly to the same form, change the same contact. One at a time,
  // a flood of one form leaves the others their part of the machine.
  const contention = ({ accountId, form }: PublicForm) => ({ contendsFor: `${accountId} ${form.id}`, oneAtATime: true });

  return {
    async carryOutSubmission(found: PublicForm, submission: Submission): Promise<void> {
      const { accountId, form } = found;
      const { key, seen } = submission;
      const once = async (tx: Transaction) => {
        if (key !== undefined && (await submissions.has(tx, accountId, form.id, key))) return false;
        return (await carryOut(tx, found, submission)).isWithheld;
      };
      const isWithheld = await mongo.transaction(originOf(submission), once, contention(found));
      if (isWithheld) await noteFlood(found, seen);
    },

    /** What the submission would do: it is carried out in a transaction that is aborted. */
    async dryRun(found: PublicForm, given: CheckedSubmission & { seen: SubmissionOrigin }): Promise<Outcome> {
      const submission = { ...given, key: undefined, isFlooded: () => false };
      const undone = async (tx: Transaction): Promise<never> => {
        throw new Undone(await carryOut(tx, found, submission));
      };
      return mongo.transaction(originOf(submission), undone, contention(found)).catch((error: unknown) => {
        if (error instanceof Undone) return error.outcome;
        throw error;
      });
    },
  };
}

const keysOf = (units: readonly Unit[]) => units.map(({ channel, topic }) => `${channel} ${topic ?? ''}`).sort();
export const sameUnits = (one: readonly Unit[], other: readonly Unit[]) => JSON.stringify(keysOf(one)) === JSON.stringify(keysOf(other));

type Drafting = {
  existing: Contact | undefined;
  fields: ContactChange;
  form: Form;
  tags: string[];
  changes: ReturnType<typeof consentChanges>;
  context: Awaited<ReturnType<LoadContext>>;
  seen: SubmissionOrigin;
};

/** The contact after the submission. */
function drafted({ existing, fields, form, tags, changes, context, seen }: Drafting) {
  if (!existing) {
    const consent = { ...noConsent, ...changes.body };
    const contact = newContact({ ...fields, locale: seen.language, tags, source: 'form', consent }, context, { now: seen.at });
    return { contact, draft: createdDraft(contact, consent) };
  }
  const change = { ...fillEmpty(existing, fields, form.overwrite), tags: withTags(existing.tags, tags), consent: changes.body };
  const { contact, changed } = changeContact(existing, change, context, { now: seen.at });
  return { contact, draft: changedDraft(existing, contact, { changed, body: changes.body }) };
}

/** The tags of a contact with these as well, as far as there is room. */
export const withTags = (before: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...before, ...more])].slice(0, Math.max(maxTags, before.length));

type Requesting = {
  id: OptInDocument['_id'];
  accountId: AccountId;
  form: Form;
  contact: Contact;
  address: string;
  consents: CheckedSubmission['consents'];
  seen: SubmissionOrigin;
  isNew: boolean;
  visitor: string | null;
  /** The same request, if it is open already. */
  earlier: OptInDocument | undefined;
};

/** A new request for confirmation, whose emails are still to be requested. */
export function requestOf({ id, accountId, form, contact, address, consents, seen, isNew, visitor, earlier }: Requesting): OptInDocument {
  const { sender, tags, segment_id, after_confirmation, double_opt_in, language } = form;
  const expires_at = new Date(seen.at.getTime() + expiryMs);
  const remind_at = new Date(seen.at.getTime() + reminderMs);
  return {
    ...{ _id: id, account_id: accountId, contact_id: contact.id, form_id: form.id, form_name: form.name, form_version: form.version },
    ...{ address, language: seen.language, consents },
    after: { sender, tags, segment_id, after_confirmation, template_id: double_opt_in.template_id, language },
    ...{ ip: seen.ip, user_agent: seen.userAgent, page: seen.page, source: seen.source, visitor_id: visitor, submitted_at: seen.at },
    ...{ is_new: isNew, revision: contact.revision, state: 'open', mails: earlier?.mails ?? 0, expires_at },
    ...(earlier?.reminded && { reminded: true }),
    ...(double_opt_in.reminder && !earlier?.reminded ? { remind_at, due_at: remind_at } : { due_at: expires_at }),
  };
}
