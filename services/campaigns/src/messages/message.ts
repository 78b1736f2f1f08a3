import { contactId, recipientId, templateId } from '@mp/contracts/ids';
import { z } from 'zod';
import { contentWarnings } from '../content/templates/content-warnings.ts';
import { messageCategories } from '../ledger/recipients/message-category.ts';
import { Recipient } from '../ledger/recipients/recipient.ts';
import type { RecipientDocument } from '../ledger/recipients/recipient-row.ts';

/** A message as the API returns it: one row of the ledger. */
export const Message = z
  .object({
    id: recipientId.describe('The ID of the message, which is a recipient in the ledger.'),
    category: z.enum(messageCategories).describe('`transactional` needs no consent, `marketing` does; `test` is the test of a campaign.'),
    to: z
      .object({
        contact_id: contactId.nullable().describe('The contact; null if no contact has the address.'),
        email: z.string().nullable().describe("The address it is or was sent to; null until a contact's address is known."),
      })
      .describe('The recipient.'),
    template_id: templateId.nullable().describe('The template that the content comes from.'),
    template_version: z.number().int().nullable().describe('The version of the template.'),
    ...Recipient.pick({ status: true, reason: true, detail: true, attempts: true, next_attempt_at: true, message_id: true, sent_at: true })
      .shape,
    data: z.record(z.string(), z.unknown()).nullable().describe('The values of `data` in the templates.'),
    attachments: z
      .array(
        z.object({
          filename: z.string().describe('The name of the file.'),
          content_type: z.string().describe('The media type.'),
          size: z.number().int().describe('The size in bytes.'),
        }),
      )
      .describe('The attachments.'),
    created_at: z.iso.datetime().describe('When the message was requested.'),
    updated_at: z.iso.datetime().describe('When the message last changed.'),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

/** A message that was just requested. */
export const SentMessage = Message.extend({
  warnings: contentWarnings.describe('Parts of the inline content that are valid, but may be typos; a template warns when it is saved.'),
}).meta({ id: 'SentMessage' });

export const messageOfRow = (row: RecipientDocument): Message => ({
  id: row._id,
  category: row.category ?? 'transactional',
  to: { contact_id: row.contact_id || null, email: row.address ?? row.to ?? null },
  template_id: row.template?.id ?? null,
  template_version: row.template?.version ?? null,
  ...{ status: row.state, reason: row.reason, detail: row.detail, attempts: row.attempts, message_id: row.message_id },
  next_attempt_at: row.state === 'deferred' ? (row.due_at?.toISOString() ?? null) : null,
  sent_at: row.sent_at?.toISOString() ?? null,
  data: row.data ?? null,
  attachments: (row.attachments ?? []).map(({ filename, content_type, size }) => ({ filename, content_type, size })),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
