import { atMostOneOf } from '@mp/contracts/constraints';
import { Contact } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import { contactScope } from '@mp/templates/fields';
import { z } from 'zod';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import { contentWarnings } from './content-warnings.ts';

const sampleText = z.string().max(1_000).nullable();

/** Sample values for the fields of a contact that templates read. */
const Sample = z.strictObject({
  email: sampleText.optional().describe('The email address.'),
  phone: sampleText.optional().describe('The phone number.'),
  external_id: sampleText.optional().describe('The external ID.'),
  first_name: sampleText.optional().describe('The first name.'),
  last_name: sampleText.optional().describe('The last name.'),
  company: sampleText.optional().describe('The company.'),
  job_title: sampleText.optional().describe('The job title.'),
  locale: sampleText.optional().describe('The locale, such as `de-DE`.'),
  timezone: sampleText.optional().describe('The time zone, such as `Europe/Berlin`.'),
  ...Contact.pick({
    status: true,
    source: true,
    consent: true,
    revision: true,
    created_at: true,
    updated_at: true,
    last_seen_at: true,
  }).partial().shape,
  tags: z.array(z.string().max(64)).max(100).optional().describe('The tags of the contact.'),
  address: z.record(z.string().max(64), sampleText).optional().describe('The address of the contact, by field.'),
  attributes: z.record(z.string().max(64), z.unknown()).optional().describe('The attributes of the contact, by key.'),
});

/** For the document: extending a schema drops what says that it has at most one of these fields. */
export const contactOrSample = atMostOneOf(['contact_id', 'sample']);

/** What a preview is rendered with. */
export const PreviewBody = z
  .strictObject({
    contact_id: contactId.optional().describe('The contact to render the email for.'),
    sample: Sample.optional().describe('Sample values to render the email with.'),
  })
  .refine(({ contact_id, sample }) => contact_id === undefined || sample === undefined, {
    path: ['sample'],
    message: 'Use contact_id or sample, not both.',
  })
  .meta(contactOrSample);

export const Preview = z
  .object({
    subject: z.string().describe('The rendered subject.'),
    preview_text: z.string().nullable().describe('The rendered preview text.'),
    html: z.string().describe('The rendered HTML.'),
    text: z.string().describe('The rendered text.'),
    fields: z.array(z.string()).describe('The fields that the template uses, such as `contact.first_name`.'),
    missing_fields: z.array(z.string()).describe('Fields the template uses that have no value for this contact.'),
    warnings: contentWarnings,
  })
  .meta({ id: 'CampaignPreview' });

/** The fields of the contact or the sample that a preview is rendered with. Throws VALIDATION_ERROR for an unknown contact. */
export async function previewScope(
  findMailable: FindMailable,
  accountId: AccountId,
  { contact_id, sample }: Pick<z.output<typeof PreviewBody>, 'contact_id' | 'sample'>,
): Promise<object> {
  if (contact_id === undefined) return { tags: [], address: {}, attributes: {}, ...sample };
  const verdict = (await findMailable(accountId, [contact_id], { keep: false })).get(contact_id);
  if (!verdict?.contact) throw invalid('/contact_id', 'unknown_contact', 'No contact has this ID.');
  return contactScope(verdict.contact);
}
