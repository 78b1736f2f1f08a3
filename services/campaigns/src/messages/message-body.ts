import { exactlyOneOf } from '@mp/contracts/constraints';
import { Email } from '@mp/contracts/contact';
import { contactId } from '@mp/contracts/ids';
import { Line } from '@mp/contracts/text';
import { isId } from '@mp/ids';
import { z } from 'zod';
import { contentFields } from '../content/templates/content-fields.ts';
import { MessageData } from '../content/templates/message-data.ts';
import { sendableCategories } from '../ledger/recipients/message-category.ts';
import { Attachment, maxAttachments } from './attachment.ts';

/** The maximum bytes of a request, with its attachments in base64. */
export const maxMessageBytes = 15 * 1_048_576;

export const email = z.string().trim().normalize('NFC').pipe(Email);

const MessageTo = z
  .strictObject({
    contact_id: contactId
      .refine((value) => isId('contact', value), 'expected a contact ID, such as contact_01h…')
      .optional()
      .describe('The contact to send to, at its current address.'),
    email: email.optional().describe('The address to send to. If a contact has it, the templates can read its fields.'),
  })
  .refine((to) => (to.contact_id === undefined) !== (to.email === undefined), {
    path: ['email'],
    message: 'Send either contact_id or email.',
  })
  .meta(exactlyOneOf(['contact_id', 'email']));

const { subject, preview_text, html, mjml, text } = contentFields;

export const SendMessageBody = z
  .strictObject({
    to: MessageTo.describe('The recipient.'),
    from: z
      .strictObject({
        email: email.describe('The address of the sender.'),
        name: Line(200).nullable().optional().describe('The name of the sender.'),
      })
      .describe('The sender.'),
    reply_to: email.nullable().optional().describe('The address for replies; the address of the sender if null.'),
    template_id: z
      .string()
      .refine((value) => isId('template', value), 'expected a template ID, such as template_01h…')
      .optional()
      .describe('The template that the content comes from; its current version is sent.'),
    content: z
      .strictObject({ subject, preview_text, html, mjml, text })
      .partial()
      .required({ subject: true })
      .optional()
      .describe('The content, instead of a template.'),
    subject: subject.optional().describe("Replaces the template's subject."),
    data: MessageData.optional().describe('Values that the templates read as `data`, such as `{{ data.order.number }}`.'),
    category: z
      .enum(sendableCategories)
      .default('transactional')
      .describe('`transactional` for emails the recipient expects, which need no consent; `marketing` for all others.'),
    track: z
      .strictObject({ opens: z.boolean().describe('Whether to track opens.'), clicks: z.boolean().describe('Whether to track clicks.') })
      .partial()
      .optional()
      .describe('Whether to track opens and clicks; both are off by default.'),
    attachments: z.array(Attachment).max(maxAttachments).optional().describe('Files, at most 10 MiB in total.'),
  })
  .refine((body) => (body.template_id === undefined) !== (body.content === undefined), {
    path: ['content'],
    message: 'Send either template_id or content.',
  })
  .meta(exactlyOneOf(['template_id', 'content']));
export type SendMessageBody = z.output<typeof SendMessageBody>;
