import { emailKey } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import type { CompileContent } from '../content/templates/compile-content.ts';
import { requireOwnHtml } from '../content/templates/compile-content.ts';
import { findTemplate } from '../content/templates/find-template.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import { noContact } from '../ledger/recipients/recipient-row.ts';
import { maxAttachmentBytes } from './attachment.ts';
import type { AttachmentsStore } from './attachments-store.ts';
import type { SendMessageBody } from './message-body.ts';

type Deps = {
  templates: TemplatesStore;
  compileContent: CompileContent;
  findMailable: FindMailable;
  broker: Pick<Broker, 'request'>;
  attachments: AttachmentsStore;
  requireSender: RequireSender;
};

export type ReadMessage = ReturnType<typeof createReadMessage>;

/** Checks a requested message and resolves its content, recipient and attachments. Throws VALIDATION_ERROR. */
export function createReadMessage({ templates, compileContent, findMailable, broker, attachments, requireSender }: Deps) {
  async function contentOf(accountId: AccountId, { template_id, content, subject }: SendMessageBody) {
    if (template_id !== undefined) {
      const template = await findTemplate(templates, accountId, template_id);
      const chosen = subject ?? template.subject;
      if (!chosen) throw invalid('/subject', 'required', 'The template has no subject; set the subject of the message.');
      const compiled = await compileContent(accountId, { ...template, subject: chosen }, { before: template, data: true });
      return { content: compiled, template: { id: template.id, version: template.version } };
    }
    if (!content) throw invalid('/content', 'required', 'Send either template_id or content.');
    if (subject !== undefined) throw invalid('/subject', 'not_both', 'subject replaces that of a template; use content.subject.');
    requireOwnHtml(content);
    const { html = '', mjml, text, preview_text } = content;
    const parts = { subject: content.subject, preview_text: preview_text || null, html, mjml: mjml || null, text: text || null };
    return { content: await compileContent(accountId, parts, { data: true }) };
  }

  async function recipientOf(accountId: AccountId, { contact_id, email }: SendMessageBody['to']) {
    if (contact_id !== undefined) {
      const verdict = (await findMailable(accountId, [contact_id])).get(contact_id);
      if (!verdict?.contact) throw invalid('/to/contact_id', 'unknown_contact', 'No contact has this ID.');
      return { contact_id };
    }
    const to = email ?? '';
    let found = noContact;
    await findContacts(broker.request, { account_id: accountId, emails: [emailKey(to)] }, (contacts) => {
      found = contacts[0]?.id ?? found;
    });
    return { contact_id: found, to };
  }

  async function filesOf(accountId: AccountId, files: NonNullable<SendMessageBody['attachments']>) {
    const read = files.map(({ content, ...file }) => ({ ...file, bytes: Buffer.from(content, 'base64') }));
    const total = read.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (total > maxAttachmentBytes)
      throw invalid('/attachments', 'too_large', `The attachments have ${total} bytes; the maximum is ${maxAttachmentBytes} in total.`);
    return Promise.all(
      read.map(async ({ bytes, ...file }) => ({ ...file, id: await attachments.keep(accountId, bytes), size: bytes.length })),
    );
  }

  return async (accountId: AccountId, body: SendMessageBody) => {
    await requireSender(accountId, body.from.email);
    const { content, template } = { template: undefined, ...(await contentOf(accountId, body)) };
    const recipient = await recipientOf(accountId, body.to);
    const files = body.attachments?.length ? { attachments: await filesOf(accountId, body.attachments) } : {};
    const sender = { email: body.from.email, name: body.from.name || null };
    const track = { opens: body.track?.opens ?? false, clicks: body.track?.clicks ?? false };
    return {
      content: { ...content, from: sender, reply_to: body.reply_to ?? null, track },
      ...recipient,
      ...(template && { template }),
      ...(body.data && { data: body.data }),
      ...files,
    };
  };
}
