import { consentInForce } from '@mp/contracts/consent-in-force';
import { type Contact, suppressionHash } from '@mp/contracts/contact';
import { ApiError, invalid } from '@mp/contracts/errors';
import { pageLanguage } from '@mp/contracts/page-language';
import { type AccountId, type FormId, newId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { LoadContext } from '../contacts/account-context.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { requestOf, sameUnits } from '../forms/carry-out-submission.ts';
import { inLanguage } from '../forms/check-submission.ts';
import { expiryMs, reminderMs } from '../forms/confirmation-limits.ts';
import { consentChanges, openAt } from '../forms/consent-changes.ts';
import { type Form, whyNotConfirming } from '../forms/form.ts';
import type { FormCountsStore } from '../forms/form-counts-store.ts';
import type { FormsStore } from '../forms/forms-store.ts';
import { type GivenConsent, type OptInDocument, type OptInsStore, unitsOf } from '../forms/opt-ins-store.ts';
import type { RequestConfirmation } from '../forms/request-confirmation.ts';
import { requireSendPermission } from '../forms/require-send-permission.ts';
import type { BulkResult, BulkRows } from './bulk-job.ts';
import type { HeldJob } from './bulk-jobs-store.ts';

type Deps = {
  contacts: Pick<ContactsStore, 'idsOf'>;
  loadContext: LoadContext;
  forms: Pick<FormsStore, 'findOne'>;
  optIns: OptInsStore;
  formCounts: Pick<FormCountsStore, 'add'>;
  requestConfirmation: RequestConfirmation;
};

export type RequestConfirmations = ReturnType<typeof createRequestConfirmations>;

/** Emails of messages are sent before those of campaigns of any account, so a job spreads its own: it never fills the queue. */
const atOnce = 100;
const perSecond = 10;

type Pace = { rows: Pick<BulkRows, 'changed'>; pacedUntil: Date | null };

/** When the email is due that follows `requested` others of the job, of which `rows.changed` were paced until `pacedUntil`. */
export function dueAfter(requested: number, { rows: { changed }, pacedUntil }: Pace, now: Date): Date {
  if (requested < atOnce) return now;
  const since = Math.max(now.getTime(), pacedUntil?.getTime() ?? 0);
  return new Date(since + ((requested + 1 - Math.max(atOnce, changed)) / perSecond) * 1_000);
}

/** Until when a job has paced its emails once it has requested `requested` confirmations. */
export const pacedUntilAfter = (requested: number, before: Pace, now: Date): Date | null =>
  requested > Math.max(atOnce, before.rows.changed) ? dueAfter(requested - 1, before, now) : before.pacedUntil;

const reasons = {
  no_email: 'The contact has no email address.',
  suppressed: 'The email address is suppressed, such as after a bounce or a complaint, and gets no email.',
  too_many_confirmations: 'The email address has had three confirmation emails in 24 hours; ask again later.',
  unsubscribed: 'The contact has unsubscribed, and is not asked again.',
  subscribed: 'The contact is subscribed already.',
  no_consent: 'No consent of the contact is pending.',
} as const;

const left = (id: Contact['id'], status: 'unchanged' | 'failed', code: keyof typeof reasons): BulkResult => ({
  ...{ id, status, code, message: reasons[code] },
});

const emailUnits = (consents: Form['consents']) => unitsOf(consents.filter(({ channel }) => channel === 'email'));

/** What the form asks for by email and the contact has not confirmed yet, in the language of the contact. */
function pendingOf({ consents, language }: Form, { consent, locale }: Contact): GivenConsent[] {
  const inLocale = pageLanguage(locale, language);
  return consents.flatMap(({ channel, topics, text }) => {
    if (channel !== 'email') return [];
    const pending = unitsOf([{ channel, topics }]).filter(({ topic }) => consentInForce(consent, channel, topic) === 'pending');
    if (pending.length === 0) return [];
    return [{ channel, topics: pending.flatMap(({ topic }) => topic ?? []), text: inLanguage(text, inLocale, language) }];
  });
}

/** Why a contact without a pending consent is left as it is. */
function whyNotPending({ consents }: Form, { consent }: Contact): 'unsubscribed' | 'subscribed' | 'no_consent' {
  const known = emailUnits(consents).map(({ channel, topic }) => consentInForce(consent, channel, topic));
  return (['unsubscribed', 'subscribed'] as const).find((status) => known.includes(status)) ?? 'no_consent';
}

/**
 * Asks these contacts to confirm a pending consent to email, as a submission of the form would, in the transaction of the job. Nothing
 * else changes until they confirm. Throws INVALID_STATE if the form can no longer ask.
 */
export function createRequestConfirmations({ contacts, loadContext, forms, optIns, formCounts, requestConfirmation }: Deps) {
  /** The request that the email is about. One that is open stays as it is, with the evidence of its submission, for as long again. */
  function requestFor(
    { id: jobId, accountId }: HeldJob,
    form: Form,
    contact: Contact,
    { open, consents, address, now, due }: Confirmation,
  ) {
    const earlier = open.find((one) => one.form_id === form.id && sameUnits(unitsOf(one.consents), unitsOf(consents)));
    const expires_at = new Date(due.getTime() + expiryMs);
    const remind_at = new Date(due.getTime() + reminderMs);
    const { remind_at: _, ...rest } = earlier ?? {
      ...requestOf({
        ...{ id: newId('optIn'), accountId, form, contact, address, consents, isNew: false, visitor: null, earlier },
        seen: {
          ...{ requestId: jobId, ip: '', userAgent: '', page: null, source: null, visitor: null, at: now },
          language: pageLanguage(contact.locale, form.language),
        },
      }),
      job_id: jobId,
    };
    const reminder = form.double_opt_in.reminder && !rest.reminded ? { remind_at, due_at: remind_at } : { due_at: expires_at };
    return { ...rest, expires_at, ...reminder };
  }

  return async (tx: Transaction, job: HeldJob, found: readonly Contact[]): Promise<BulkResult[]> => {
    const { accountId, request } = job;
    if (request.form_id === undefined) throw new Error('the job names no form');
    const form = await askingForm(forms, accountId, request.form_id, (refused) => new ApiError('INVALID_STATE', refused), tx);
    const { suppressionOf } = await loadContext(accountId, found);
    const now = new Date();
    let requested = 0;

    const requestFrom = async (contact: Contact): Promise<BulkResult> => {
      const { id, email } = contact;
      if (email === null) return left(id, 'failed', 'no_email');
      const consents = pendingOf(form, contact);
      if (consents.length === 0) return left(id, 'unchanged', whyNotPending(form, contact));
      const address = suppressionHash(accountId, 'email', email);
      const open = openAt(await optIns.ofContact(tx, accountId, await contacts.idsOf(accountId, id, tx)), address);
      const happening = {
        event: 'submit',
        request: '',
        consent: contact.consent,
        open,
        isSuppressed: suppressionOf(email) !== undefined,
      } as const;
      if (!consentChanges(unitsOf(consents), happening, () => ({ method: 'form' })).needsConfirmation)
        return left(id, 'failed', 'suppressed');
      const due = dueAfter(job.rows.changed + requested, job, now);
      if (!(await optIns.mayMail(tx, accountId, address, due))) return left(id, 'failed', 'too_many_confirmations');
      requested += 1;
      if (request.dry_run) return { id, status: 'changed' };
      const row = requestFor(job, form, contact, { open, consents, address, now, due });
      await optIns.put(tx, await requestConfirmation(tx, row, { email, now: due, isPaced: true }));
      return { id, status: 'changed' };
    };

    const results: BulkResult[] = [];
    for (const contact of found) results.push(await requestFrom(contact));
    if (requested > 0 && !request.dry_run) {
      const counts = { awaiting_confirmation: requested };
      await formCounts.add(accountId, { formId: form.id, at: now, where: { page: null, source: null }, counts }, tx);
    }
    return results;
  };
}

type Confirmation = { open: readonly OptInDocument[]; consents: GivenConsent[]; address: string; now: Date; due: Date };

/**
 * Throws VALIDATION_ERROR unless the form can ask contacts to confirm their consent to email, and FORBIDDEN if the role of the caller may
 * not send such emails.
 */
export async function requireAskingForm(forms: FindForm, principal: Principal, id: FormId, path: string) {
  requireSendPermission(principal, await askingForm(forms, principal.accountId, id, (refused) => invalid(path, 'unusable_form', refused)));
}

type FindForm = Pick<FormsStore, 'findOne'>;

async function askingForm(forms: FindForm, accountId: AccountId, id: FormId, refuse: (why: string) => ApiError, tx?: Transaction) {
  const form = await forms.findOne(accountId, id, tx);
  if (!form) throw refuse('No form has this ID.');
  const refused = whyNotConfirming(form);
  if (refused !== undefined) throw refuse(refused);
  return form;
}
