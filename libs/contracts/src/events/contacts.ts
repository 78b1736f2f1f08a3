import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { auditedContactActions } from '../audit-entry.ts';
import { Channel, ConsentMethod, ConsentStatus, ConsentTopic, Contact, SuppressionKind, SuppressionReason } from '../contact.ts';
import { defineEvent } from '../event.ts';
import { contactId, formId, runId, templateId } from '../ids.ts';
import { PageLanguage } from '../page-language.ts';

/** The contact after the change: at most about 70 KiB, with everything that rules, consent checks and templates need. */
const contact = Contact;

const ofContact = ({ contact }: { contact: Contact }) => [contact.id];

export const ContactCreated = defineEvent({
  type: 'contacts.contact.created',
  version: 1,
  meaning: 'A contact was created.',
  data: z.object({ contact }),
  subjectsOf: ofContact,
});

export const ContactUpdated = defineEvent({
  type: 'contacts.contact.updated',
  version: 1,
  meaning: 'A contact changed. An update that changes nothing is not published.',
  data: z.object({
    contact,
    changed: z.array(z.string()).describe('Paths of the changed fields, such as `address.city` or `attributes.plan`.'),
  }),
  subjectsOf: ofContact,
});

export const ContactDeleted = defineEvent({
  type: 'contacts.contact.deleted',
  version: 1,
  meaning:
    'A contact was deleted, erased or merged into another. Its ID returns if the contact is restored or the merge is undone: as a ' +
    'contact.created with a higher revision. Only a higher revision may therefore replace a tombstone. A deletion that can be undone ' +
    'is published again, with a higher revision and without `restorable_until`, when it becomes final.',
  data: z.object({
    contact_id: contactId,
    revision: z.number().int().describe('Higher than any earlier revision.'),
    merged_into: contactId.optional().describe('The contact it was merged into; contact.merged has the details.'),
    merged_ids: z.array(contactId).optional().describe('IDs of contacts that had been merged into it and are deleted with it.'),
    erased: z.boolean().optional().describe('Whether contact.erased is published as well.'),
    restorable_until: z.iso
      .datetime()
      .optional()
      .describe('The contact can be restored until then; keep what only this contact explains, hidden, and `merged_ids` as they are.'),
  }),
});

const merge = z.object({
  merge_id: z.string(),
  contact: contact.describe('The surviving contact after the change.'),
  source_id: contactId.describe('The contact that was merged into it.'),
  source_revision: z.number().int(),
});

export const ContactMerged = defineEvent({
  type: 'contacts.contact.merged',
  version: 1,
  meaning:
    'One contact was merged into another. Published with contact.updated for the survivor and contact.deleted for the other, which ' +
    'are enough to keep a projection of contacts correct. Use this event for data that refers to `source_id`: it now belongs to `contact`.',
  data: merge.extend({ changed: z.array(z.string()).describe('Paths of the changed fields of the surviving contact.') }),
  subjectsOf: ofContact,
});

export const ContactUnmerged = defineEvent({
  type: 'contacts.contact.unmerged',
  version: 1,
  meaning:
    'A merge was undone. Published with contact.updated for the survivor and contact.created for the restored contact, with a higher ' +
    'revision than its contact.deleted. Data that referred to `source_id` before the merge belongs to it again.',
  data: merge.extend({ source: contact.describe('The restored contact.') }),
  subjectsOf: ({ contact, source }) => [contact.id, source.id],
});

export const ContactErased = defineEvent({
  type: 'contacts.contact.erased',
  version: 1,
  meaning:
    'All personal data of a contact must be removed, including from histories. Published with contact.deleted. Each service that ' +
    'stores contact data publishes `<service>.contact.erased` when it is done, once for every time it receives this event.',
  data: z.object({
    erasure_id: z.string(),
    contact_id: contactId,
    merged_ids: z.array(contactId).describe('IDs of contacts that had been merged into it, to be erased as well.'),
    revision: z.number().int(),
  }),
});

export const ConsentChanged = defineEvent({
  type: 'contacts.consent.changed',
  version: 1,
  meaning: 'The consent of a contact changed, for one channel or for one topic of a channel. The contact itself is in contact.updated.',
  data: z.object({
    contact_id: contactId,
    revision: z.number().int(),
    channel: Channel,
    topic: ConsentTopic.nullable().describe('null: the whole channel.'),
    before: ConsentStatus.nullable().describe('The status before the change; null: none was recorded.'),
    status: ConsentStatus.nullable().describe('The status after the change; null: the record was cleared.'),
    method: ConsentMethod.nullable(),
    at: z.iso.datetime(),
    address_hash: z
      .string()
      .max(100)
      .optional()
      .describe("`suppressionHash` of the contact's email address: after a restore, a withdrawal holds even if the contact is lost."),
  }),
  subjectsOf: ({ address_hash }) => (address_hash === undefined ? [] : [address_hash]),
});

const suppression = z.object({
  suppression_id: z.string(),
  kind: SuppressionKind,
  value: z.string().nullable().describe('The address or domain in the form used for comparison; null once only its hash is stored.'),
  hash: z.string().describe('`suppressionHash` of the account, kind and value.'),
  reason: SuppressionReason,
  at: z.iso.datetime(),
});

const ofAddress = ({ value, hash }: z.output<typeof suppression>) => (value === null ? [] : [hash]);

export const SuppressionAdded = defineEvent({
  type: 'contacts.suppression.added',
  version: 1,
  meaning: 'An address or domain must not be emailed. Each affected contact gets its new status in a contact.updated.',
  data: suppression,
  subjectsOf: ofAddress,
});

export const SuppressionRemoved = defineEvent({
  type: 'contacts.suppression.removed',
  version: 1,
  meaning: 'An address or domain may be emailed again, subject to consent.',
  data: suppression,
  subjectsOf: ofAddress,
});

export const ImportCompleted = defineEvent({
  type: 'contacts.import.completed',
  version: 1,
  meaning: 'An import ended. Its contacts were published one by one.',
  data: z.object({
    import_id: z.string(),
    status: z.enum(['completed', 'failed', 'cancelled']),
    dry_run: z.boolean(),
    rows: z.object({
      read: z.number().int(),
      created: z.number().int(),
      updated: z.number().int(),
      unchanged: z.number().int(),
      failed: z.number().int(),
    }),
  }),
});

export const ExportCompleted = defineEvent({
  type: 'contacts.export.completed',
  version: 1,
  meaning: 'An export ended.',
  data: z.object({
    export_id: z.string(),
    status: z.enum(['completed', 'failed']),
    format: z.string(),
    rows: z.number().int(),
    bytes: z.number().int(),
  }),
});

export const ContactsAudited = defineEvent({
  type: 'contacts.action.audited',
  version: 1,
  meaning: 'Contacts were exported, deleted, restored or erased by a caller of the API. The gateway adds it to the audit log.',
  data: z.object({
    actor_id: z.string().describe('ID of the user, API key or OAuth client that did it.'),
    action: z.enum(auditedContactActions),
    target_id: z.string().describe('ID of the contact, export or bulk job.'),
    details: z.record(z.string(), z.unknown()).describe('Numbers and IDs. Never contains personal data.'),
  }),
});

const consents = z
  .array(z.object({ channel: Channel, topics: z.array(ConsentTopic).describe('The whole channel if empty.') }))
  .max(5)
  .describe('The consent that the visitor gave.');

/** Absent in events of earlier versions. */
const visitorOfPage = z
  .string()
  .max(100)
  .nullable()
  .default(null)
  .describe('The visitor of LeadPulse on the page that embeds the form; null unless it is certain to be the contact.');

const ofForm = { form_id: formId, form_name: z.string(), form_version: z.number().int() };
const ofNamed = ({ contact_id }: { contact_id: string }) => [contact_id];

export const FormSubmitted = defineEvent({
  type: 'contacts.form.submitted',
  version: 1,
  meaning: 'A visitor submitted a form. The contact itself is in contact.created or contact.updated, if the submission changed it.',
  data: z.object({
    submission_id: z.string(),
    ...ofForm,
    contact_id: contactId,
    is_new: z.boolean().describe('Whether the submission created the contact.'),
    consents,
    awaits_confirmation: z.boolean().describe('Whether consent waits until it is confirmed by email.'),
    page: z.string().max(2_000).nullable().describe('The page that has the form; null for its own page.'),
    visitor_id: visitorOfPage,
    at: z.iso.datetime(),
  }),
  subjectsOf: ofNamed,
});

export const FormConfirmed = defineEvent({
  type: 'contacts.form.confirmed',
  version: 1,
  meaning: 'A visitor confirmed a submission by the link in the email; once per request for confirmation.',
  data: z.object({
    opt_in_id: z.string(),
    ...ofForm,
    contact_id: contactId,
    consents,
    visitor_id: visitorOfPage,
    submitted_at: z.iso.datetime(),
    at: z.iso.datetime(),
  }),
  subjectsOf: ofNamed,
});

export const FormFlooded = defineEvent({
  type: 'contacts.form.flooded',
  version: 1,
  meaning: 'A form has so many submissions that it sends no more confirmation emails for now; at most once an hour.',
  data: z.object({ form_id: formId, form_name: z.string(), confirmations_per_hour: z.number().int(), at: z.iso.datetime() }),
});

export const FormConfirmationRequested = defineEvent({
  type: 'contacts.form.confirmation_requested',
  version: 1,
  meaning: 'Requests the email by which a visitor confirms a submission. It needs no consent, but suppressed addresses get none.',
  data: z.object({
    key: z.string().describe('The email is sent once per key.'),
    opt_in_id: z.string(),
    form_id: formId,
    contact_id: contactId,
    email: z.string().describe('The address that was submitted.'),
    language: PageLanguage,
    sender: z.object({ email: z.string(), name: z.string().nullable() }),
    template_id: templateId.nullable().describe('null: a text of the platform.'),
    texts: z.array(z.string()).max(5).describe('The wordings that the visitor agreed to.'),
    confirm_path: z.string().max(300).describe('The path of the link, which works like a password.'),
    is_reminder: z.boolean(),
    due_at: z.iso.datetime().optional().describe('When the email is due; at once if missing. Those of a bulk job are spread over time.'),
    expires_at: z.iso.datetime(),
  }),
  subjectsOf: ofNamed,
});

export const TraitsApplied = defineEvent({
  type: 'contacts.traits.applied',
  version: 1,
  meaning: 'Confirms leadpulse.contact.identified: the contact has the fields, except those that were refused.',
  data: z.object({
    key: z.string().describe('The key of the request.'),
    contact_id: contactId.nullable().describe('The contact; null if none could be created or found.'),
    refused: z.array(z.object({ path: z.string(), reason: z.string() })).describe('The fields that the contact did not get, and why.'),
  }),
  subjectsOf: ({ contact_id }) => (contact_id === null ? [] : [contact_id]),
});

export const ContactEffectCompleted = defineEvent({
  type: 'contacts.effect.completed',
  version: 1,
  meaning: 'The result of a contact change that a workflow requested: done, or refused with a reason.',
  data: z.object({
    effect_key: z.string(),
    run_id: runId,
    status: z.enum(['done', 'refused']),
    reason: z.string().nullable(),
    revision: z.number().int().nullable().describe("The contact's revision after the change."),
  }),
});

export const ContactsAccountErased = defineEvent({
  type: 'contacts.account.erased',
  version: 1,
  meaning: 'Confirms platform.account.erased: contacts no longer stores anything about the account.',
  data: AccountErasureReceipt,
});
